import { moneyCell } from '../app/csv-list.ts';
import { csvLine } from '../core/csv.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import type { StatementHead } from './queries/statement.ts';
import type { Statement, StatementLine } from './statement-lines.ts';
import { StatementTotals } from './statement-totals.ts';
import { ENTRY_WORDS } from './statement-words.ts';

const HEADINGS = [
  'line',
  'date',
  'for',
  'sale_id',
  'sale_date',
  'customer',
  'sale_amount',
  'amount',
  'currency',
  'entry_id',
  'payout_id',
  'partner_id',
  'partner_name',
  'partner_email',
  'period_from',
  'period_to',
];

/**
 * One line per entry, then one per kind of entry, then the total. Every line names the partner, so that files can be
 * joined.
 */
export async function* statementCsv({ head, pages }: Statement): AsyncGenerator<string> {
  const totals = new StatementTotals();
  const whose = whoseCells(head);
  yield csvLine(HEADINGS);
  for await (const lines of pages) {
    totals.add(lines);
    yield lines.map((line) => csvLine([...entryCells(line, head), ...whose(line.id)])).join('');
  }
  const sumLine = (kind: string, what: string, amount: bigint | number) =>
    csvLine([kind, null, what, null, null, null, null, moneyCell(amount, head.currency), code(head), ...whose(null)]);
  for (const { kind, amount } of totals.byKind()) yield sumLine('subtotal', ENTRY_WORDS[kind], amount);
  yield sumLine('total', 'Total', head.amount);
}

function entryCells(line: StatementLine, head: StatementHead) {
  const { createdAt, what, saleId, soldAt, customer, saleAmount, amount } = line;
  const base = saleAmount === null ? null : moneyCell(saleAmount, head.currency);
  const sold = isoTimeOrNull(soldAt);
  return [
    'entry',
    isoTime(createdAt),
    what,
    saleId,
    sold,
    customer,
    base,
    moneyCell(amount, head.currency),
    code(head),
  ] as const;
}

function whoseCells({ id, partnerId, partnerName, partnerEmail, firstAt, lastAt }: StatementHead) {
  const rest = [id, partnerId, partnerName, partnerEmail, isoTimeOrNull(firstAt), isoTimeOrNull(lastAt)];
  return (entryId: string | null) => [entryId, ...rest];
}

function code({ currency }: StatementHead): string {
  return currency.toUpperCase();
}
