import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { PAYMENT_PROCESSORS } from '../../core/processor.ts';
import { SALE_STATUSES } from '../../core/sale.ts';
import { getSale, listSales } from '../../payments/list-sales.ts';
import { type SaleDetailResource, type SaleResource, saleListQuery } from '../../payments/sale-schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { type PartnerName, partnerNames } from '../partner-names.ts';
import { commissionText } from '../terminal/commission-text.ts';
import { print, printJson } from '../terminal/output.ts';
import { formatRecord, formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addSalesCommand(program: Command): void {
  const sales = program.command('sales').description('sales, who earned them and why');

  addListCommand<SaleResource>(sales, {
    describe: 'list the sales of the account, newest first',
    list: (service, accountId, query) => listSales(service, accountId, parseInput(saleListQuery, query)),
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'only of this partner' },
      { flags: '--customer <externalId>', field: 'customerExternalId', describe: 'only of this customer' },
      { flags: '--invoice <id>', field: 'invoiceId', describe: 'only with this invoice' },
      {
        flags: '--processor <name>',
        field: 'processor',
        describe: PAYMENT_PROCESSORS.join(', '),
      },
      {
        flags: '--status <status>',
        field: 'status',
        describe: SALE_STATUSES.join(', '),
      },
    ],
    partnerIdOf: ({ partnerId }) => partnerId,
    columns: {
      id: ({ id }) => id,
      date: ({ occurredAt }) => occurredAt,
      processor: ({ paymentProcessor }) => paymentProcessor,
      invoice: ({ invoiceId }) => invoiceId,
      customer: ({ customer }) => customer.externalId,
      partner: ({ partnerId }, partnerName) => partnerName(partnerId),
      'matched by': ({ attribution }) => attribution.matchedBy,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      commission: ({ commissionAmount, currency }) => formatMoney(commissionAmount, currency),
      reversed: ({ reversedCommissionAmount, currency }) => formatMoney(reversedCommissionAmount, currency),
      status: ({ status }) => status,
    },
  });

  accountCommand(sales, 'show <id>')
    .description('show a sale with every step of its attribution, its refunds and its ledger entries')
    .action(async (id: string, options: AccountOptions) => {
      const [sale, partnerName] = await withAccountOf(options, async (service, accountId) => {
        const found = await getSale(service, accountId, id);
        return [found, await partnerNames(service, accountId, [found.partnerId])] as const;
      });
      if (options.json) printJson(sale);
      else printSale(sale, partnerName);
    });
}

function printSale(
  { attribution, refunds, disputes, entries, terms, ...sale }: SaleDetailResource,
  partnerName: PartnerName,
): void {
  const { currency: _, ...members } = sale;
  const money = (amount: number) => formatMoney(amount, sale.currency);
  print(
    formatRecord({
      ...members,
      partner: partnerName(sale.partnerId),
      customer: sale.customer.externalId,
      amount: money(sale.amount),
      grossAmount: money(sale.grossAmount),
      refundedAmount: money(sale.refundedAmount),
      commissionAmount: money(sale.commissionAmount),
      reversedCommissionAmount: money(sale.reversedCommissionAmount),
      terms: termsText(terms),
      matchedBy: attribution.matchedBy,
    }),
  );
  const steps = attribution.steps.map(({ step, value, result, reason }) => [step, value, result, reason]);
  print(`\nAttribution\n${formatTable(['step', 'value', 'result', 'reason'], steps)}`);
  const changes = [
    ...refunds.map(({ kind, amount, currency, status, occurredAt }) => {
      return [occurredAt, kind, amount === null ? null : formatMoney(amount, currency), status];
    }),
    ...disputes.map(({ amount, currency, state, occurredAt }) => {
      return [occurredAt, 'dispute', formatMoney(amount, currency), state];
    }),
  ];
  if (changes.length > 0) print(`\nRefunds and disputes\n${formatTable(['when', 'what', 'amount', 'state'], changes)}`);
  const booked = entries.map(({ createdAt, kind, amount, currency, availableAt, reason }) => {
    return [createdAt, kind, formatMoney(amount, currency), availableAt, reason];
  });
  print(`\nLedger\n${formatTable(['when', 'kind', 'amount', 'available', 'reason'], booked)}`);
}

/** `20 % of net, of the program, without end, 30 days of hold`. */
function termsText({ commission, source, durationMonths, holdDays, amountBasis }: SaleDetailResource['terms']): string {
  const duration =
    durationMonths === null ? 'without end' : durationMonths === 0 ? 'first sale only' : `for ${durationMonths} months`;
  const base = commission.type === 'percentage' ? ` of ${amountBasis}` : '';
  return `${commissionText(commission)}${base}, from the ${source}, ${duration}, held for ${holdDays} days`;
}
