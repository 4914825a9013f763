import { expect } from 'vitest';
import type { Cast } from './cast.ts';
import { DAY_MS, dayOf, type Ends, get, isIn, iso, periodQuery } from './read.ts';
import { addTo, allOf, earningsOf, type Results, type Row, type Rows, resultsOf } from './rows.ts';

/** The statistics of the account, and of each program, partner and link. */
export async function checkStatistics(cast: Cast, rows: Rows): Promise<void> {
  const { app } = cast;
  const scopes = [
    {},
    ...cast.programIds.map((programId) => ({ programId })),
    ...cast.partners.map(({ id: partnerId, programId }) => ({ partnerId, programId })),
    ...cast.links.map(({ id: linkId }) => ({ linkId })),
    ...cast.links.flatMap(({ id: linkId }) => cast.partners.map(({ id: partnerId }) => ({ linkId, partnerId }))),
  ];
  const [from, to] = [dayOf(rows.now) - 120 * DAY_MS, dayOf(rows.now) + DAY_MS];
  for (const scope of scopes) {
    const query = new URLSearchParams(scope as Record<string, string>);
    for (const interval of ['day', 'week', 'month']) {
      const period = `from=${iso(from)}&to=${iso(to)}&interval=${interval}`;
      const { body } = await get(app, `/api/statistics?${period}&${query}`);
      const expected = resultsOf(rows, { ...scope, from, to });
      expect({ scope, ...body.totals }).toEqual({ scope, ...expected });
      expect(sumOf(body.data)).toEqual(expected);
      for (const one of body.data.filter(({ clicks, leads, sales }: Row) => clicks + leads + sales > 0)) {
        const { start, ...results } = one;
        const begin = Date.parse(start);
        const next = new Date(begin);
        if (interval === 'month') next.setUTCMonth(next.getUTCMonth() + 1);
        else next.setUTCDate(next.getUTCDate() + (interval === 'day' ? 1 : 7));
        const ofInterval = resultsOf(rows, { ...scope, from: Math.max(begin, from), to: Math.min(next.getTime(), to) });
        expect({ start, ...results }).toEqual({ start, ...ofInterval });
      }
    }
    const { body } = await get(app, `/api/statistics?${query}`);
    const since = to - 30 * DAY_MS;
    expect(body.totals).toEqual(resultsOf(rows, { ...scope, from: since, to }));
    expect(body.previous).toEqual(resultsOf(rows, { ...scope, from: since - 30 * DAY_MS, to: since }));
  }
}

function sumOf(intervals: Results[]): Results {
  const total: Results = { clicks: 0, leads: 0, sales: 0, revenue: {}, commission: {} };
  for (const { clicks, leads, sales, revenue, commission } of intervals) {
    total.clicks += clicks;
    total.leads += leads;
    total.sales += sales;
    for (const [currency, amount] of Object.entries(revenue)) addTo(total.revenue, currency, amount);
    for (const [currency, amount] of Object.entries(commission)) addTo(total.commission, currency, amount);
  }
  return total;
}

/** The results of a link under the names of the statistics. */
export const ofLink = ({ clicks, leads, sales, revenue, earnedCommission: commission }: Row) => ({
  clicks,
  leads,
  sales,
  revenue,
  commission,
});

/** The results of each link in a period, and of all time. */
export async function checkLinks(cast: Cast, rows: Rows, period: Ends) {
  const [from, to] = period;
  const query = periodQuery(period);
  const links = await allOf(cast.app, `/api/links?archived=all&${query}`);
  expect(links.length).toBeGreaterThanOrEqual(cast.links.length);
  for (const link of links) {
    expect(ofLink(link)).toEqual(resultsOf(rows, { linkId: link.id, from, to }));
    expect((await get(cast.app, `/api/links/${link.id}?${query}`)).body).toEqual(link);
    const dub = (await get(cast.app, `/compat/dub/links/info?linkId=${link.id}`)).body;
    const ever = resultsOf(rows, { linkId: link.id });
    const { clicks, leads, sales, saleAmount } = dub;
    const [only, ...others] = Object.values(ever.revenue);
    const amount = (others.length === 0 ? only : ever.revenue.usd) ?? 0;
    expect({ clicks, leads, sales, saleAmount }).toEqual({
      clicks: ever.clicks,
      leads: ever.leads,
      sales: ever.sales,
      saleAmount: amount,
    });
  }
}

/** The earnings of each partner in a period, and day by day. */
export async function checkEarnings({ app, partners }: Cast, rows: Rows, period: Ends): Promise<void> {
  const query = periodQuery(period);
  const shown = (entries: readonly Row[]) =>
    earningsOf(rows, entries).map(({ due, processing, ...sums }) => ({ ...sums, payable: due + processing }));
  for (const { id } of partners) {
    const entries = rows.entries.filter(({ partnerId }) => partnerId === id).filter(isIn(period));
    const path = `/api/partners/${id}/earnings?${query}`;
    expect((await get(app, path)).body.data).toEqual(shown(entries));
    if (period.includes(null)) continue;
    const byDay = [...Map.groupBy(entries, ({ createdAt }) => dayOf(Date.parse(createdAt)))].sort(([a], [b]) => a - b);
    expect((await get(app, `${path}&interval=day`)).body.data).toEqual(
      byDay.flatMap(([day, ofDay]) => shown(ofDay).map((sums) => ({ from: iso(day), ...sums }))),
    );
  }
}
