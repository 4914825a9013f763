import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { moneyCell } from '../app/csv-list.ts';
import type { Service } from '../app/service.ts';
import { CSV_TYPE, csvLine } from '../core/csv.ts';
import type { AccountId } from '../core/ids.ts';
import { minorToDecimal } from '../core/money.ts';
import { isoDate, isoTimeOrNull } from '../core/time.ts';
import { findPayoutsToExport, type PayoutExportRow } from './queries/export.ts';
import type { ExportedPayout, PayoutExportQuery } from './schemas.ts';

const PAGE_SIZE = 500;

const CSV_HEADINGS = [
  'payout_id',
  'partner_id',
  'tenant_id',
  'partner_name',
  'partner_email',
  'amount',
  'currency',
  'entries',
  'status',
  'processing_at',
  'paid_at',
  'file_id',
  'transfer_status',
];

export interface PayoutExport {
  contentType: string;
  fileName: string;
  /** The text in chunks, read from the database while the file is sent. */
  chunks: AsyncIterable<string>;
}

/**
 * Exports payouts for a bank or a payout provider (CSV: one line per payout, amounts as decimals, formulas escaped) or
 * for software (JSON: `{data: [...]}`, amounts in minor units and as decimals). Oldest first, without a limit. Reads each
 * page only after the previous chunk has been consumed.
 *
 * @param onProgress called after each page with the number of payouts exported so far
 * @throws ServiceError `UNAVAILABLE` when the first page cannot be read
 */
export async function exportPayouts(
  service: Service,
  accountId: AccountId,
  { format, status, partnerId }: PayoutExportQuery,
  onProgress: (count: number) => void = () => {},
): Promise<PayoutExport> {
  const filters = { status, partnerId };
  const read = (afterId: string) =>
    service.database.report((tx) => findPayoutsToExport(tx, accountId, filters, { afterId, limit: PAGE_SIZE }));
  // before the answer begins, which could otherwise only break off
  const pages = counted(pagesFrom(await read(''), read), onProgress);
  const fileName = `payouts-${status}-${isoDate(service.clock())}.${format}`;
  return format === 'csv'
    ? { contentType: CSV_TYPE, fileName, chunks: asCsv(pages) }
    : { contentType: 'application/json; charset=utf-8', fileName, chunks: asJson(pages) };
}

async function* pagesFrom(first: PayoutExportRow[], read: (afterId: string) => Promise<PayoutExportRow[]>) {
  for (let rows = first; ; ) {
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    await yieldToEventLoop();
    rows = await read(last.id);
  }
}

async function* counted(pages: AsyncIterable<PayoutExportRow[]>, onProgress: (count: number) => void) {
  let count = 0;
  for await (const rows of pages) {
    yield rows;
    count += rows.length;
    onProgress(count);
  }
}

async function* asCsv(pages: AsyncIterable<PayoutExportRow[]>): AsyncGenerator<string> {
  yield csvLine(CSV_HEADINGS);
  for await (const rows of pages) yield rows.map(asCsvLine).join('');
}

function asCsvLine(row: PayoutExportRow): string {
  return csvLine([
    row.id,
    row.partnerId,
    row.tenantId === null ? null : onOneLine(row.tenantId),
    onOneLine(row.partnerName),
    row.partnerEmail,
    moneyCell(row.amount, row.currency),
    row.currency.toUpperCase(),
    row.entryCount,
    row.status,
    isoTimeOrNull(row.processingAt),
    isoTimeOrNull(row.paidAt),
    row.fileId,
    row.transferStatus,
  ]);
}

/** The ids of a file are taken from its lines, such as by `cut`, to mark the payouts as paid. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

async function* asJson(pages: AsyncIterable<PayoutExportRow[]>): AsyncGenerator<string> {
  yield '{"data":[';
  let separator = '';
  for await (const rows of pages) {
    yield separator + rows.map((row) => JSON.stringify(asJsonItem(row))).join(',');
    separator = ',';
  }
  yield ']}';
}

function asJsonItem(row: PayoutExportRow): ExportedPayout {
  return {
    id: row.id,
    partner: { id: row.partnerId, tenantId: row.tenantId, name: row.partnerName, email: row.partnerEmail },
    amount: row.amount,
    amountDecimal: minorToDecimal(row.amount, row.currency),
    currency: row.currency,
    entryCount: row.entryCount,
    status: row.status,
    processingAt: isoTimeOrNull(row.processingAt),
    paidAt: isoTimeOrNull(row.paidAt),
    fileId: row.fileId,
    transferStatus: row.transferStatus,
  };
}
