import type { LinkId, PartnerId } from '../core/ids.ts';
import { DAY_MS, type Period } from '../core/time.ts';
import { requireExact } from '../errors.ts';
import { type Counts, type DayRange, type SumOfLink, sumsOfLinks, sumsOfPartner } from '../results/sums.ts';
import type { Transaction } from '../storage/database.ts';
import { findPartOfDay, type PartOfDay } from './queries/results.ts';

/** The results of a link. Amounts in minor units by currency, sorted by currency. */
export interface LinkResults {
  clicks: number;
  leads: number;
  sales: number;
  /** The sum of the sales before refunds. */
  revenue: Record<string, number>;
  /** The commission of the sales less reversals. */
  earnedCommission: Record<string, number>;
}

/** The results of a link that has none. */
export function noResults(): LinkResults {
  return { clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} };
}

/** The first and the last day that a time can represent. */
const FIRST_DAY = -100_000_000;
const END_DAY = 100_000_000;

/**
 * The results of these links in a period, by link id, without links that have none. Whole days are read from the daily
 * sums, the rest of the period from the clicks, leads and sales themselves.
 */
export async function findLinkResults(
  tx: Transaction,
  linkIds: readonly LinkId[],
  period: Period,
): Promise<Map<LinkId, LinkResults>> {
  const { days, rest } = splitIntoDays(period);
  const sums = await sumsOfLinks(tx, linkIds, days);
  for (const part of rest) sums.push(...(await findPartOfDay(tx, linkIds, part)));
  return addUp(sums);
}

/** The whole UTC days of a period, and the partial days at its ends. */
function splitIntoDays({ from, to }: Period): { days: DayRange; rest: PartOfDay[] } {
  const fromDay = from === null ? FIRST_DAY : Math.ceil(from / DAY_MS);
  const toDay = to === null ? END_DAY : Math.floor(to / DAY_MS);
  const days = { fromDay, toDay };
  if (from !== null && to !== null && fromDay > toDay) return { days, rest: [{ from, to }] };
  const rest: PartOfDay[] = [];
  if (from !== null && from % DAY_MS !== 0) rest.push({ from, to: fromDay * DAY_MS });
  if (to !== null && to % DAY_MS !== 0) rest.push({ from: toDay * DAY_MS, to });
  return { days, rest };
}

/** The results of some of a partner's links while the partner held them, by link id, without links that have none. */
export async function findResultsOfPartner(
  tx: Transaction,
  partnerId: PartnerId,
  linkIds: readonly LinkId[],
  now: number,
): Promise<Map<LinkId, LinkResults>> {
  return addUp(await sumsOfPartner(tx, partnerId, linkIds, Math.floor(now / DAY_MS)));
}

/**
 * Leaves out a currency if all its sales turned out to be duplicates.
 *
 * @throws ServiceError `INVALID_STATE` when a sum is beyond 2^53
 */
function addUp(sums: readonly SumOfLink[]): Map<LinkId, LinkResults> {
  const results = new Map<LinkId, LinkResults>();
  const ofCurrency = Map.groupBy(sums, ({ linkId, currency }) => `${linkId} ${currency}`);
  for (const key of [...ofCurrency.keys()].sort()) {
    const rows = ofCurrency.get(key) ?? [];
    const [first] = rows;
    if (first === undefined) continue;
    const total = (name: keyof Counts) => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);
    const known = results.get(first.linkId) ?? noResults();
    results.set(first.linkId, known);
    known.clicks += total('clicks');
    known.leads += total('leads');
    const sales = total('sales');
    if (sales === 0) continue;
    known.sales += sales;
    const [revenue, commission] = [total('revenue'), total('commission')];
    requireExact([revenue, commission]);
    known.revenue[first.currency] = revenue;
    known.earnedCommission[first.currency] = commission;
  }
  return results;
}
