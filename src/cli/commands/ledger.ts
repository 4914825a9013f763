import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { listLedger } from '../../ledger/list.ts';
import { type EntryResource, ledgerQuery } from '../../ledger/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { addListCommand } from './list-command.ts';

export function addLedgerCommand(program: Command): void {
  const ledger = program.command('ledger').description('signed amounts of partners; entries are never changed');

  addListCommand<EntryResource>(ledger, {
    describe: 'list ledger entries, newest first',
    list: (service, accountId, query) => listLedger(service, accountId, parseInput(ledgerQuery, query)),
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'only of this partner' },
      { flags: '--sale <id>', field: 'saleId', describe: 'only of this sale' },
      { flags: '--payout <id>', field: 'payoutId', describe: 'only those paid by this payout' },
    ],
    partnerIdOf: ({ partnerId }) => partnerId,
    columns: {
      id: ({ id }) => id,
      created: ({ createdAt }) => createdAt,
      partner: ({ partnerId }, partnerName) => partnerName(partnerId),
      sale: ({ saleId }) => saleId,
      kind: ({ kind }) => kind,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      available: ({ availableAt }) => availableAt,
      payout: ({ payoutId }) => payoutId,
    },
  });
}
