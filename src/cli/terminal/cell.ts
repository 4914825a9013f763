import type { CsvCell } from '../../core/csv.ts';
import { formatMoney, minorToDecimal } from '../../core/money.ts';

/** An amount in minor units. */
export interface Money {
  amount: number;
  currency: string;
}

export type Cell = string | number | boolean | null | Money;

export function isMoney(cell: Cell): cell is Money {
  return typeof cell === 'object' && cell !== null;
}

/** What could control a terminal, or reverse what it shows behind it. */
const HARMFUL = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Replaces what stored text must not do to a terminal; keeps line breaks and tabs. */
export function withoutControls(text: string): string {
  return text.replace(HARMFUL, (character) => (character === '\n' || character === '\t' ? character : '·'));
}

/** Escapes, in JSON on one line, what `withoutControls` replaces. Its values stay the same. */
export function withEscapedControls(json: string): string {
  return json.replace(HARMFUL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The text that a table shows. Control characters in stored text are replaced. */
export function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (isMoney(cell)) return formatMoney(cell.amount, cell.currency);
  return String(cell).replace(HARMFUL, '·');
}

/** The value that a CSV file contains: amounts as decimals, without their currency. */
export function cellOfCsv(cell: Cell): CsvCell {
  if (typeof cell === 'boolean') return String(cell);
  return isMoney(cell) ? { decimal: minorToDecimal(cell.amount, cell.currency) } : cell;
}

/** The amounts in each currency, added up. */
export function sumsByCurrency(rows: readonly { currency: string; amount: number }[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { currency, amount } of rows) sums[currency] = (sums[currency] ?? 0) + amount;
  return sums;
}

/** `5.00 EUR, 6.00 USD`, of amounts by currency. */
export function sumsText(amounts: Readonly<Record<string, number>>): string {
  return Object.entries(amounts)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(', ');
}
