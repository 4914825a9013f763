import { expect } from 'vitest';
import { call } from '../../helpers/app.ts';
import type { Cast } from './cast.ts';
import { csvOf, DAY_MS, dayOf, get } from './read.ts';
import { ofLink } from './results.ts';
import { earningsOf, minorOf, type Row, type Rows, resultsOf } from './rows.ts';

/** Sales, ledger entries and payouts: single ones, files, and what another product's clients read. */
export async function checkSales(cast: Cast, rows: Rows): Promise<void> {
  const { app } = cast;
  for (const sale of rows.sales) {
    const { body } = await get(app, `/api/sales/${sale.id}`);
    const entries = rows.entries.filter(({ saleId }) => saleId === sale.id).reverse();
    expect(body.entries).toEqual(entries);
    const sum = (...kinds: string[]) =>
      entries.filter(({ kind }) => kinds.includes(kind)).reduce((total, { amount }) => total + amount, 0);
    const { commissionAmount, reversedCommissionAmount, refundedAmount, grossAmount, amount, status } = sale;
    expect({ commissionAmount, reversedCommissionAmount, refundedAmount, grossAmount, amount, status }).toEqual({
      commissionAmount: sum('commission', 'adjustment'),
      reversedCommissionAmount: 0 - sum('reversal'),
      refundedAmount: body.refundedAmount,
      grossAmount: body.grossAmount,
      amount: body.amount,
      status: body.status,
    });
    const left = commissionAmount - reversedCommissionAmount + sum('dispute_hold', 'dispute_release');
    expect(left).toBeGreaterThanOrEqual(0);
  }
  const money = (line: Row, name: string) => minorOf(line[name], line.currency);
  const csv = csvOf((await get(app, '/api/sales?format=csv')).text);
  expect(
    csv.map((line) => [
      line.sale_id,
      ...['amount', 'gross_amount', 'refunded_amount', 'commission', 'reversed_commission'].map((name) =>
        money(line, name),
      ),
      line.status,
    ]),
  ).toEqual(
    rows.sales.map((sale) => [
      sale.id,
      sale.amount,
      sale.grossAmount,
      sale.refundedAmount,
      sale.commissionAmount,
      sale.reversedCommissionAmount,
      sale.status,
    ]),
  );
  const ledger = csvOf((await get(app, '/api/ledger?format=csv')).text);
  expect(ledger.map((line) => [line.entry_id, money(line, 'amount'), line.payout_id || null])).toEqual(
    rows.entries.map(({ id, amount, payoutId }) => [id, amount, payoutId]),
  );
  const dub = (await get(app, '/compat/dub/commissions?pageSize=100')).body as Row[];
  expect(dub.map(({ id, amount, earnings }) => [id, amount, earnings])).toEqual(
    rows.sales
      .slice(0, 100)
      .map((sale) => [sale.id, sale.amount, sale.commissionAmount - sale.reversedCommissionAmount]),
  );
  const payouts = (await get(app, '/compat/dub/payouts?pageSize=100')).body as Row[];
  expect(payouts.map(({ id, amount }) => [id, amount])).toEqual(
    rows.payouts.slice(0, 100).map(({ id, amount }) => [id, amount]),
  );
}

/** What each partner sees. */
export async function checkPortal(cast: Cast, rows: Rows): Promise<void> {
  const { app } = cast;
  for (const { id, programId } of cast.partners) {
    const issued = await app.call('POST', '/api/embed/token', { body: { enrollmentId: id, programId } });
    if (issued.status !== 201 && issued.status !== 200) throw new Error(issued.text);
    const token = issued.body.publicToken;
    const read = async (path: string) => {
      const answer = await call(`${app.url}/api/embed/referrals/${path}`, 'GET', { key: token });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
      return answer;
    };
    const pages = async (path: string) => {
      const list: Row[] = [];
      for (let cursor = ''; ; ) {
        const { body } = await read(`${path}?limit=7${cursor}`);
        list.push(...body.data);
        if (body.nextCursor === null) return list;
        cursor = `&cursor=${body.nextCursor}`;
      }
    };
    const ofPartner = rows.entries.filter(({ partnerId }) => partnerId === id);
    const earnings = earningsOf(rows, ofPartner).map(({ due: available, ...sums }) => ({ ...sums, available }));
    expect((await read('earnings')).body.data).toEqual(earnings);
    const members = ['id', 'amount', 'currency', 'commissionAmount', 'reversedCommissionAmount', 'status'];
    const some = (row: Row) => Object.fromEntries(members.map((name) => [name, row[name]]));
    expect((await pages('sales')).map(some)).toEqual(rows.sales.filter(({ partnerId }) => partnerId === id).map(some));
    for (const link of await pages('links')) {
      const { revenue: _, ...expected } = resultsOf(rows, { linkId: link.id, partnerId: id });
      const { revenue: __, ...shown } = ofLink(link);
      expect(shown).toEqual(expected);
    }
    const end = dayOf(rows.now) + DAY_MS;
    const last = new Date(end - 1);
    const firstMonth = Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - 11);
    for (const [interval, from] of [
      ['day', end - 30 * DAY_MS],
      ['month', firstMonth],
    ] as const) {
      const { totals } = (await read(`statistics?interval=${interval}`)).body;
      expect(ofLink(totals)).toEqual(resultsOf(rows, { partnerId: id, from, to: end }));
    }
    const payouts = rows.payouts.filter(({ partnerId, status }) => partnerId === id && status !== 'queued');
    const shown = await pages('payouts');
    expect(shown.map(({ id: one, amount, status, entryCount }) => [one, amount, status, entryCount])).toEqual(
      payouts.map(({ id: one, amount, status, entryCount }) => [one, amount, status, entryCount]),
    );
    for (const payout of payouts) {
      const lines = await pages(`payouts/${payout.id}/statement`);
      expect(lines.map((line) => [line.id, line.amount])).toEqual(
        rows.entries.filter(({ payoutId }) => payoutId === payout.id).map((line) => [line.id, line.amount]),
      );
    }
  }
}
