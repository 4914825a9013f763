import { listAll } from '../../helpers/list-all.ts';
import type { Cast, Click } from './cast.ts';

// biome-ignore lint/suspicious/noExplicitAny: rows as the API answers them, of every list
export type Row = Record<string, any>;
export type Sums = Record<string, number>;

/** All rows of the lists from which everything else is computed, and the visits. */
export interface Rows {
  now: number;
  sales: Row[];
  leads: Row[];
  entries: Row[];
  payouts: Row[];
  clicks: readonly Click[];
  payoutById: ReadonlyMap<string, Row>;
  saleById: ReadonlyMap<string, Row>;
  /** The program of each partner. */
  programOf: ReadonlyMap<string, string>;
}

export const allOf = listAll<Row>;

/** What the account's lists show now, without filters. */
export async function readRows({ app, clicks, clock, partners }: Cast): Promise<Rows> {
  const [sales, leads, entries, payouts] = await Promise.all(
    ['sales', 'leads', 'ledger', 'payouts'].map((list) => allOf(app, `/api/${list}`)),
  );
  if (!sales || !leads || !entries || !payouts) throw new Error('A list is missing');
  const byId = (rows: Row[]) => new Map(rows.map((row) => [row.id as string, row]));
  const programOf = new Map(partners.map(({ id, programId }) => [id as string, programId]));
  return {
    now: clock.now,
    programOf,
    sales,
    leads,
    entries,
    payouts,
    clicks,
    payoutById: byId(payouts),
    saleById: byId(sales),
  };
}

export function addTo(sums: Sums, currency: string, amount: number): void {
  sums[currency] = (sums[currency] ?? 0) + amount;
}

export interface Results {
  clicks: number;
  leads: number;
  sales: number;
  revenue: Sums;
  commission: Sums;
}

/** Which rows a place counts. */
export interface Scope {
  programId?: string;
  partnerId?: string;
  linkId?: string;
  from?: number | null;
  to?: number | null;
}

/** Leaves out sales that turned out to be duplicates, or that another service voided: those with a note. */
export function resultsOf({ sales, leads, clicks, entries, programOf }: Rows, scope: Scope): Results {
  const { programId, partnerId, linkId, from = null, to = null } = scope;
  const isIn = (row: { partnerId: string; linkId: string | null }, at: number) =>
    (partnerId === undefined || row.partnerId === partnerId) &&
    (linkId === undefined || row.linkId === linkId) &&
    (from === null || at >= from) &&
    (to === null || at < to);
  const results: Results = { clicks: 0, leads: 0, sales: 0, revenue: {}, commission: {} };
  const ofProgram = (id: string) => programId === undefined || id === programId;
  results.clicks = clicks.filter((click) => isIn(click, click.at) && ofProgram(click.programId)).length;
  results.leads = leads.filter(
    (lead) => isIn(lead as never, Date.parse(lead.createdAt)) && ofProgram(programOf.get(lead.partnerId) ?? ''),
  ).length;
  for (const sale of sales) {
    if (sale.note !== null || !isIn(sale as never, Date.parse(sale.createdAt)) || !ofProgram(sale.programId)) continue;
    const reversals = entries.filter(({ saleId, kind }) => saleId === sale.id && kind === 'reversal');
    results.sales += 1;
    addTo(results.revenue, sale.currency, sale.amount);
    addTo(results.commission, sale.currency, sale.commissionAmount);
    for (const { amount } of reversals) addTo(results.commission, sale.currency, amount);
  }
  return results;
}

/** Where an entry's money is. */
export function placeOf({ now, payoutById, saleById }: Rows, { payoutId, saleId, availableAt }: Row) {
  const status = payoutId === null ? null : payoutById.get(payoutId)?.status;
  if (status === 'paid' || status === 'processing') return status;
  if (status !== null) throw new Error(`An entry is in a payout that is ${status}`);
  const isDecided = saleId === null || saleById.get(saleId)?.review !== 'flagged';
  return isDecided && Date.parse(availableAt) <= now ? 'due' : 'held';
}

/** Earnings by currency, sorted. */
export function earningsOf(rows: Rows, entries: readonly Row[]) {
  const currencies = [...new Set(entries.map(({ currency }) => currency as string))].sort();
  return currencies.map((currency) => {
    const ofCurrency = entries.filter((entry) => entry.currency === currency);
    const sum = (isCounted: (entry: Row) => boolean) =>
      ofCurrency.filter(isCounted).reduce((total, { amount }) => total + amount, 0);
    const isEarned = ({ kind }: Row) => kind === 'commission' || kind === 'adjustment';
    const at = (...places: string[]) => sum((entry) => places.includes(placeOf(rows, entry)));
    return {
      currency,
      earned: sum(isEarned),
      reversed: 0 - sum((entry) => !isEarned(entry)),
      held: at('held'),
      due: at('due'),
      processing: at('processing'),
      paid: at('paid'),
    };
  });
}

const DECIMALS: Readonly<Record<string, number>> = { usd: 2, eur: 2, jpy: 0, kwd: 3 };

/** `-1.50` → -150 */
export function minorOf(decimal: string, currency: string): number {
  const decimals = DECIMALS[currency.toLowerCase()] ?? Number.NaN;
  const [, sign = '', whole = '', part = ''] = /^'?(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === '' || part.length !== decimals) throw new Error(`${decimal} ${currency} has other decimals`);
  return Number(`${sign}${whole}${part}`);
}

/** 150 → `1.50`, for an amount that is not negative. */
export function decimalOf(minor: number, currency: string): string {
  const decimals = DECIMALS[currency] ?? Number.NaN;
  const digits = `${minor}`.padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
