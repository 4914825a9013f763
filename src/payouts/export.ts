import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { optional, parseInput, text, withDefault } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { csvLine } from '../core/csv.ts';
import { minorToDecimal } from '../core/money.ts';
import { isoTimeOrNull } from '../core/time.ts';
import { findPayoutsToExport, type PayoutExportRow } from './queries/export.ts';

const EXPORT_FORMATS = ['csv', 'json'] as const;
/** A queued payout has no amount to pay yet. */
const EXPORT_STATUSES = ['processing', 'paid', 'failed', 'canceled'] as const;

const exportInput = z.object({
  format: withDefault(z.enum(EXPORT_FORMATS, { error: `must be one of ${EXPORT_FORMATS.join(', ')}` }), 'csv'),
  status: withDefault(z.enum(EXPORT_STATUSES, { error: `must be one of ${EXPORT_STATUSES.join(', ')}` }), 'processing'),
  partnerId: optional(text()),
});

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
];

export interface PayoutExport {
  contentType: string;
  fileName: string;
  /** The text, piece by piece; read as it is sent. */
  chunks: AsyncIterable<string>;
}

/**
 * Payouts for a bank or a payout provider (CSV: amounts as decimals, formulas made harmless), or for a program (JSON:
 * `{data: [...]}`, amounts in minor units and as decimals). The oldest first; of any number.
 *
 * @param query `format` csv (default) or json, `status` (default processing), `partnerId`
 * @throws ServiceError `VALIDATION_ERROR`, before any text
 */
export function exportPayouts(service: Service, accountId: string, query: unknown): PayoutExport {
  const { format, status, partnerId } = parseInput(exportInput, query);
  const pages = pagesOf(service, accountId, { status, partnerId });
  const fileName = `payouts-${status}-${new Date(service.clock()).toISOString().slice(0, 10)}.${format}`;
  return format === 'csv'
    ? { contentType: 'text/csv; charset=utf-8; header=present', fileName, chunks: asCsv(pages) }
    : { contentType: 'application/json; charset=utf-8', fileName, chunks: asJson(pages) };
}

async function* pagesOf(service: Service, accountId: string, filters: { status: string; partnerId: string | null }) {
  for (let afterId = ''; ; ) {
    const rows = await service.database.read((tx) => findPayoutsToExport(tx, accountId, filters, afterId, PAGE_SIZE));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    afterId = last.id;
    await turn();
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
    row.tenantId,
    row.partnerName,
    row.partnerEmail,
    minorToDecimal(row.amount, row.currency),
    row.currency.toUpperCase(),
    row.entryCount,
    row.status,
    isoTimeOrNull(row.processingAt),
    isoTimeOrNull(row.paidAt),
  ]);
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

function asJsonItem({ id, partnerId, tenantId, partnerName, partnerEmail, amount, currency, ...row }: PayoutExportRow) {
  return {
    id,
    partner: { id: partnerId, tenantId, name: partnerName, email: partnerEmail },
    amount,
    amountDecimal: minorToDecimal(amount, currency),
    currency,
    entryCount: row.entryCount,
    status: row.status,
    processingAt: isoTimeOrNull(row.processingAt),
    paidAt: isoTimeOrNull(row.paidAt),
  };
}
