import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { type EntryResource, listLedger } from '../../ledger/list.ts';
import { addListCommand } from './list-command.ts';

export function addLedgerCommand(program: Command): void {
  const ledger = program.command('ledger').description('what partners are owed, entry by entry; never changed');

  addListCommand<EntryResource>(ledger, {
    describe: 'entries, the newest first',
    list: listLedger,
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'of this partner' },
      { flags: '--sale <id>', field: 'saleId', describe: 'of this sale' },
      { flags: '--payout <id>', field: 'payoutId', describe: 'paid by this payout' },
    ],
    columns: {
      id: ({ id }) => id,
      created: ({ createdAt }) => createdAt,
      partner: ({ partnerId }) => partnerId,
      sale: ({ saleId }) => saleId,
      kind: ({ kind }) => kind,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      available: ({ availableAt }) => availableAt,
      payout: ({ payoutId }) => payoutId,
    },
  });
}
