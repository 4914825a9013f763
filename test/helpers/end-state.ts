import { createHash } from 'node:crypto';
import type { Service } from '../../src/app/service.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { listLedger } from '../../src/ledger/list.ts';
import { ledgerQuery } from '../../src/ledger/schemas.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { listParkedPayments } from '../../src/payments/parked-payments.ts';
import { parkedListQuery } from '../../src/payments/resources/parked-schemas.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { listPayouts } from '../../src/payouts/list.ts';
import { payoutListQuery } from '../../src/payouts/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { Database } from '../../src/storage/database.ts';

/** The result of an account's deliveries, without ids and times. */
export interface EndState {
  /** Sales that count, the smallest first, and of the same amount the one of which most was refunded; then by all else. */
  sales: {
    customer: string | null;
    amount: number;
    grossAmount: number;
    currency: string;
    commissionAmount: number;
    status: string;
    refundedAmount: number;
    reversedCommissionAmount: number;
    /** The amount that disputes currently hold. */
    held: number;
  }[];
  /** The ledger's sum for voided duplicates; must be zero. */
  ofSecondRecords: number;
  /** The ledger's sum by partner and currency. */
  owed: number;
  queuedPayouts: number;
  parked: number;
}

const ALL = { limit: '100' };

export async function endStateOf(service: Service, accountId: AccountId): Promise<EndState> {
  const { data: sales } = await listSales(service, accountId, parseInput(saleListQuery, ALL));
  const { data: entries } = await listLedger(service, accountId, parseInput(ledgerQuery, ALL));
  const queued = parseInput(payoutListQuery, { ...ALL, status: 'queued' });
  const { data: payouts } = await listPayouts(service, accountId, queued);
  const { data: parked } = await listParkedPayments(service, accountId, parseInput(parkedListQuery, ALL));
  const second = new Set(sales.filter((sale) => sale.note !== null).map((sale) => sale.id));
  const holds = (saleId: string) =>
    sum(entries.filter((entry) => entry.saleId === saleId && entry.kind.startsWith('dispute')));
  return {
    sales: sales
      .filter((sale) => !second.has(sale.id))
      .map((sale) => ({
        customer: sale.customer.externalId,
        amount: sale.amount,
        grossAmount: sale.grossAmount,
        currency: sale.currency,
        commissionAmount: sale.commissionAmount,
        status: sale.status,
        refundedAmount: sale.refundedAmount,
        reversedCommissionAmount: sale.reversedCommissionAmount,
        held: holds(sale.id),
      }))
      .sort(bySize),
    ofSecondRecords: sum(entries.filter((entry) => entry.saleId !== null && second.has(entry.saleId))),
    owed: sum(entries),
    queuedPayouts: payouts.length,
    parked: parked.length,
  };
}

const keyOf = (sale: EndState['sales'][number]) => `${sale.currency} ${sale.customer} ${JSON.stringify(sale)}`;

function bySize(a: EndState['sales'][number], b: EndState['sales'][number]): number {
  return a.grossAmount - b.grossAmount || b.refundedAmount - a.refundedAmount || (keyOf(a) < keyOf(b) ? -1 : 1);
}

function sum(entries: readonly { amount: number }[]): number {
  return entries.reduce((total, entry) => total + entry.amount, 0);
}

/** Tables with tracked data and earnings; not `rate_limits`, nor the time when a key was last used. */
const TRACKED_TABLES = [
  'customers',
  'leads',
  'identities',
  'deliveries',
  'payments',
  'payment_references',
  'parked_hints',
  'refunds',
  'disputes',
  'sales',
  'ledger_entries',
  'payouts',
  'payout_entries',
] as const;

/** A hash of every row of every tracked table, except the columns in `without` (`table.column`). */
export function hashTables(database: Database, without: readonly string[] = []): Promise<Record<string, string>> {
  return database.read(async (tx) => {
    const hashes: Record<string, string> = {};
    for (const table of TRACKED_TABLES) {
      const rows = await tx.all<Record<string, unknown>>(`SELECT * FROM ${table}`);
      const lines = rows.map((row) => rowText(table, row, without)).sort();
      hashes[table] = createHash('sha256').update(lines.join('\n')).digest('hex');
    }
    return hashes;
  });
}

function rowText(table: string, row: Record<string, unknown>, without: readonly string[]): string {
  const columns = Object.entries(row).filter(([column]) => !without.includes(`${table}.${column}`));
  return JSON.stringify(
    columns.map(([column, value]) => [column, Buffer.isBuffer(value) ? value.toString('hex') : value]),
  );
}
