import type { Command } from 'commander';
import { formatMoney } from '../core/money.ts';
import { listPayouts, type PayoutResource } from '../tracking/view-money.ts';
import { addListCommand } from './list-command.ts';

export function addPayoutsCommand(program: Command): void {
  const payouts = program.command('payouts').description('what is paid to partners together');

  addListCommand<PayoutResource>(payouts, {
    describe: 'payouts, the newest first',
    list: listPayouts,
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'to this partner' },
      { flags: '--status <status>', field: 'status', describe: 'queued, processing, paid, failed, canceled' },
    ],
    columns: {
      id: ({ id }) => id,
      partner: ({ partnerId }) => partnerId,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      entries: ({ entryCount }) => entryCount,
      status: ({ status }) => status,
      created: ({ createdAt }) => createdAt,
      paid: ({ paidAt }) => paidAt,
    },
  });
}
