import { csvLine, type DecimalCell } from '../core/csv.ts';
import { minorToDecimal } from '../core/money.ts';
import { isoTime } from '../core/time.ts';
import type { StoredRow } from './queries/walk.ts';

/** A file for a spreadsheet, made from the rows of one table. */
export interface PeopleCsv {
  file: string;
  columns: readonly string[];
  /** Cells that no column holds as the API shows them. */
  cells?: Readonly<Record<string, (row: StoredRow) => string>>;
}

/** Columns with this ending hold a time. */
const TIME = /_at$/;
/** Columns with these names hold an amount in minor units; their file has the column `currency`. */
const AMOUNT = /(^|_)amount$/;

/** By table. */
const PEOPLE_CSV: Readonly<Record<string, PeopleCsv>> = {
  partners: {
    file: 'partners.csv',
    columns: ['id', 'program_id', 'name', 'email', 'status', 'tenant_id', 'created_at'],
    cells: { status: ({ archived_at: archivedAt }) => (archivedAt === null ? 'active' : 'archived') },
  },
  links: { file: 'links.csv', columns: ['id', 'partner_id', 'domain', 'key', 'url', 'created_at'] },
  sales: {
    file: 'sales.csv',
    columns: [
      'id',
      'occurred_at',
      'partner_id',
      'customer_id',
      'event_name',
      'invoice_id',
      'payment_processor',
      'currency',
      'amount',
      'gross_amount',
      'refunded_amount',
      'commission_amount',
      'available_at',
    ],
  },
  ledger_entries: {
    file: 'ledger.csv',
    columns: ['id', 'created_at', 'partner_id', 'sale_id', 'kind', 'currency', 'amount', 'reason', 'available_at'],
  },
  payouts: {
    file: 'payouts.csv',
    columns: ['id', 'partner_id', 'status', 'currency', 'amount', 'entry_count', 'created_at', 'paid_at', 'note'],
  },
};

export function findPeopleCsv(table: string): PeopleCsv | undefined {
  return PEOPLE_CSV[table];
}

export function headingsOf({ columns }: PeopleCsv): string {
  return csvLine(columns);
}

/**
 * A line for each row that is not deleted: times in UTC, amounts as decimals, text that a spreadsheet would evaluate
 * quoted.
 */
export function linesOf({ columns, cells = {} }: PeopleCsv, rows: readonly StoredRow[]): string[] {
  const shown = rows.filter((row) => row.deleted_at === undefined || row.deleted_at === null);
  return shown.map((row) => csvLine(columns.map((column) => cells[column]?.(row) ?? cellOf(column, row))));
}

function cellOf(column: string, row: StoredRow): string | number | null | DecimalCell {
  const value = row[column];
  if (value === undefined || value === null || Buffer.isBuffer(value)) return null;
  if (typeof value === 'number' && TIME.test(column)) return isoTime(value);
  if (typeof value === 'number' && AMOUNT.test(column)) return { decimal: minorToDecimal(value, String(row.currency)) };
  return value;
}
