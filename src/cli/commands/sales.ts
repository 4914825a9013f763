import type { Command } from 'commander';
import type { SaleDetail } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import type { AccountApi } from '../api/account-api.ts';
import { changeEach } from '../api/change-each.ts';
import { saleIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { formatSteps } from '../terminal/attribution-steps.ts';
import { commissionText } from '../terminal/commission-text.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { reportFailures } from '../terminal/report-failures.ts';
import { formatRecord, formatTable } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addShowCommand } from './resource-commands.ts';

export function addSalesCommand(program: Command): void {
  const sales = program.command('sales').description('sales, who earned them and why');

  addListCommand(sales, 'listSales', {
    describe: 'list the sales of the account, newest first; --review flagged lists those waiting for a decision',
    columns: {
      id: ({ id }) => id,
      date: ({ occurredAt }) => occurredAt,
      processor: ({ paymentProcessor }) => paymentProcessor,
      invoice: ({ invoiceId }) => invoiceId,
      customer: ({ customer }) => customer.externalId,
      partner: ({ partnerName }) => partnerName,
      'matched by': ({ attribution }) => attribution.matchedBy,
      amount: ({ amount, currency }) => ({ amount, currency }),
      commission: ({ commissionAmount: amount, currency }) => ({ amount, currency }),
      reversed: ({ reversedCommissionAmount: amount, currency }) => ({ amount, currency }),
      status: ({ status }) => status,
      review: ({ review }) => review,
    },
  });

  addShowCommand(sales, 'getSale', {
    name: 'show <id|invoice>',
    describe: 'show a sale with every step of its attribution, its refunds and its ledger entries',
    resolve: saleIdOf,
    show: printSale,
  });

  addReviewCommand(sales, {
    name: 'approve',
    operationId: 'approveSale',
    describe: 'approve flagged sales: their commission may be paid out',
    done: 'approved',
  });
  addReviewCommand(sales, {
    name: 'reject',
    operationId: 'rejectSale',
    describe: 'reject flagged sales: their commission is reversed',
    done: 'rejected',
  });
}

interface Review {
  name: string;
  operationId: 'approveSale' | 'rejectSale';
  describe: string;
  done: string;
}

function addReviewCommand(sales: Command, { name, operationId, describe, done }: Review): void {
  const review = apiCommand(sales, `${name} <ids...>`)
    .description(describe)
    .option('--reason <text>', 'recorded in the trace of the sale')
    .addHelpText(
      'after',
      `
Exit code 1 if a sale could not be ${done}: the others were.

Example:
  $ refbridge sales list --review flagged
  $ refbridge sales ${name} sal_…`,
    );
  review.action(async (given: string[], { reason, json }: AccountOptions & { reason?: string }) => {
    const work = async (api: AccountApi) => {
      const ids: string[] = [];
      for (const text of given) {
        const id = await saleIdOf(api, text);
        // so that a wrong id is found before anything is decided
        await api.call('getSale', { parameters: { id } });
        ids.push(id);
      }
      return changeEach(ids, (id) => api.call(operationId, { parameters: { id }, body: { reason } }));
    };
    const { data, failed, stopped } = await withApi(review, work, given);
    if (json) printJson({ data, failed });
    else for (const { id, review: decision, partnerName } of data) note(`${id} of ${partnerName}: ${decision}.`);
    reportFailures({ failed, stopped }, done);
  });
}

function printSale({ attribution, refunds, disputes, entries, terms, ...sale }: SaleDetail): void {
  const { currency: _, partnerName: __, ...members } = sale;
  const money = (amount: number) => formatMoney(amount, sale.currency);
  print(
    formatRecord({
      ...members,
      partner: sale.partnerName,
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
  print(`\nAttribution\n${formatSteps(attribution.steps, sale.currency)}`);
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

/** `20% of net, from the program, without end, held for 30 days`. */
function termsText(terms: SaleDetail['terms']): string {
  if (terms === null) return 'not applied: the commission was imported';
  const { commission, source, durationMonths, holdDays, amountBasis } = terms;
  const duration =
    durationMonths === null ? 'without end' : durationMonths === 0 ? 'first sale only' : `for ${durationMonths} months`;
  const base = commission.type === 'percentage' ? ` of ${amountBasis}` : '';
  return `${commissionText(commission)}${base}, from the ${source}, ${duration}, held for ${holdDays} days`;
}
