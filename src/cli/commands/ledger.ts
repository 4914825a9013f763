import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import type { AccountApi } from '../api/account-api.ts';
import { partnerIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { readMoney } from '../fields/read.ts';
import type { Money } from '../terminal/cell.ts';
import { note, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface AdjustOptions extends AccountOptions {
  partner: string;
  amount: Money;
  reason: string;
}

export function addLedgerCommand(program: Command): void {
  const ledger = program.command('ledger').description('signed amounts owed to partners; entries are never changed');

  addListCommand(ledger, 'listLedgerEntries', {
    describe: 'list ledger entries, newest first',
    columns: {
      id: ({ id }) => id,
      created: ({ createdAt }) => createdAt,
      partner: ({ partnerName }) => partnerName,
      sale: ({ saleId }) => saleId,
      kind: ({ kind }) => kind,
      amount: ({ amount, currency }) => ({ amount, currency }),
      available: ({ availableAt }) => availableAt,
      payout: ({ payoutId }) => payoutId,
    },
  });

  const adjust = apiCommand(ledger, 'adjust')
    .description('add an entry by hand: a bonus, or a deduction')
    .requiredOption('--partner <id|email>', 'the partner')
    .requiredOption(
      '--amount <money>',
      'amount to add to what the partner is owed, such as 12.50EUR; -12.50EUR deducts it',
      readMoney,
    )
    .requiredOption('--reason <text>', 'why; the partner sees it')
    .addHelpText(
      'after',
      '\nExample:\n  $ refbridge ledger adjust --partner ana@example.com --amount 50EUR --reason "launch bonus"',
    );
  adjust.action(async ({ partner, amount: money, reason, json }: AdjustOptions) => {
    const work = async (api: AccountApi) => {
      const partnerId = await partnerIdOf(api, partner);
      return api.call('createAdjustment', { body: { partnerId, ...money, reason } });
    };
    const entry = await withApi(adjust, work, [partner]);
    if (json) printJson(entry);
    else note(`${entry.id}: ${formatMoney(entry.amount, entry.currency)} for ${entry.partnerName}.`);
  });
}
