import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { PAYMENT_PROCESSORS } from '../../core/processor.ts';
import { getSale, listSales, type SaleResource } from '../../payments/list-sales.ts';
import { print, printJson } from '../terminal/output.ts';
import { formatRecord, formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addSalesCommand(program: Command): void {
  const sales = program.command('sales').description('what was sold, who earned it and why');

  addListCommand<SaleResource>(sales, {
    describe: 'sales of the account, the newest first',
    list: listSales,
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'of this partner' },
      { flags: '--customer <externalId>', field: 'customerExternalId', describe: 'of this customer' },
      { flags: '--invoice <id>', field: 'invoiceId', describe: 'with this invoice' },
      {
        flags: '--processor <name>',
        field: 'processor',
        describe: PAYMENT_PROCESSORS.join(', '),
      },
      {
        flags: '--status <status>',
        field: 'status',
        describe: 'pending, approved, paid, refunded, disputed, rejected',
      },
    ],
    columns: {
      id: ({ id }) => id,
      processor: ({ paymentProcessor }) => paymentProcessor,
      invoice: ({ invoiceId }) => invoiceId,
      customer: ({ customer }) => customer.externalId,
      partner: ({ partnerId }) => partnerId,
      'matched by': ({ attribution }) => attribution.matchedBy,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      commission: ({ commissionAmount, currency }) => formatMoney(commissionAmount, currency),
      reversed: ({ reversedCommissionAmount, currency }) => formatMoney(reversedCommissionAmount, currency),
      status: ({ status }) => status,
    },
  });

  accountCommand(sales, 'show <id>')
    .description('one sale with every step of its attribution, its refunds and its ledger entries')
    .action(async (id: string, options: AccountOptions) => {
      const sale = await withAccount(options, (service, accountId) => getSale(service, accountId, id));
      if (options.json) printJson(sale);
      else printSale(sale);
    });
}

function printSale({ attribution, refunds, disputes, entries, ...sale }: Awaited<ReturnType<typeof getSale>>): void {
  print(formatRecord({ ...sale, matchedBy: attribution.matchedBy }));
  const steps = attribution.steps.map(({ step, value, result, reason }) => [step, value, result, reason]);
  print(`\nAttribution\n${formatTable(['step', 'value', 'result', 'reason'], steps)}`);
  const money = [
    ...refunds.map(({ kind, amount, currency, status, occurredAt }) => {
      return [occurredAt, kind, amount === null ? null : formatMoney(amount, currency), status];
    }),
    ...disputes.map(({ amount, currency, state, occurredAt }) => {
      return [occurredAt, 'dispute', formatMoney(amount, currency), state];
    }),
  ];
  if (money.length > 0) print(`\nRefunds and disputes\n${formatTable(['when', 'what', 'amount', 'state'], money)}`);
  const booked = entries.map(({ createdAt, kind, amount, currency, availableAt, reason }) => {
    return [createdAt, kind, formatMoney(amount, currency), availableAt, reason];
  });
  print(`\nLedger\n${formatTable(['when', 'kind', 'amount', 'available', 'reason'], booked)}`);
}
