import { expect } from 'vitest';
import { parseCsv } from '../../../src/core/csv.ts';
import type { Cast } from './cast.ts';
import { csvOf, get } from './read.ts';
import { addTo, allOf, minorOf, placeOf, type Row, type Rows, type Sums } from './rows.ts';

const withoutZeros = (sums: Sums) => Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0));

/** What needs attention, what is owed, and what a run would pay. */
export async function checkOverview(cast: Cast, rows: Rows): Promise<void> {
  const { body } = await get(cast.app, '/api/overview');
  const owed: Record<string, Sums> = { held: {}, due: {}, processing: {}, paid: {} };
  for (const entry of rows.entries) addTo(owed[placeOf(rows, entry)] as Sums, entry.currency, entry.amount);
  const { held, available, processing, paid } = body.owed;
  const shown = {
    held: withoutZeros(held),
    due: withoutZeros(available),
    processing: withoutZeros(processing),
    paid: withoutZeros(paid),
  };
  expect(shown).toEqual(Object.fromEntries(Object.entries(owed).map(([name, sums]) => [name, withoutZeros(sums)])));
  const heldPayouts = await allOf(cast.app, '/api/payouts?status=held');
  const unclear: Sums = {};
  for (const { currency, amount } of heldPayouts) addTo(unclear, currency, amount);
  expect(body.owed.heldPayouts).toEqual(unclear);
  const parked = await allOf(cast.app, '/api/parked-payments');
  const count = (filter: (sale: Row) => boolean) => rows.sales.filter(filter).length;
  const attention = Object.fromEntries(
    Object.entries(body.attention as Record<string, Row>).map(([name, { count: one }]) => [name, one]),
  );
  expect(attention).toEqual({
    failedDeliveries: (await allOf(cast.app, '/api/deliveries?status=failed')).length,
    deadDeliveries: (await allOf(cast.app, '/api/deliveries?status=dead')).length,
    parkedPayments: parked.length,
    flaggedSales: count(({ review }) => review === 'flagged'),
    processingPayouts: (await allOf(cast.app, '/api/payouts?status=processing')).length,
    heldPayouts: heldPayouts.length,
    openDisputes: count(({ status }) => status === 'disputed'),
  });
  await checkDue(cast, rows, body.payouts);
}

async function checkDue(cast: Cast, rows: Rows, ready: Row[]) {
  const programs = new Map(
    (await allOf(cast.app, '/api/programs?archived=all')).map((program) => [program.id, program]),
  );
  const expected: Row[] = [];
  for (const partner of await allOf(cast.app, '/api/partners?archived=all')) {
    const program = programs.get(partner.programId) as Row;
    const minimums = partner.archivedAt === null && program.archivedAt === null ? program.minimumPayout : {};
    const due = rows.entries.filter((entry) => entry.partnerId === partner.id && placeOf(rows, entry) === 'due');
    for (const [currency, entries] of Map.groupBy(due, (entry) => entry.currency as string)) {
      const amount = entries.reduce((sum, entry) => sum + entry.amount, 0);
      if (amount < Math.max(1, minimums[currency] ?? 1)) continue;
      expected.push({ partnerId: partner.id, currency, amount, entryCount: entries.length });
    }
  }
  const run = (await cast.app.call('POST', '/api/payouts/run', { body: { dryRun: true } })).body;
  const key = ({ partnerId, currency }: Row) => `${partnerId} ${currency}`;
  const sorted = (list: Row[]) => list.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  const listed = run.data.map(({ partnerId, currency, amount, entryCount }: Row) => ({
    partnerId,
    currency,
    amount,
    entryCount,
  }));
  expect(sorted(listed)).toEqual(sorted(expected));
  const totals = [...Map.groupBy(expected, ({ currency }) => currency as string)].map(([currency, list]) => ({
    currency,
    count: list.length,
    amount: list.reduce((sum, { amount }) => sum + amount, 0),
  }));
  const byCurrency = (list: Row[]) => list.toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
  expect(byCurrency(ready)).toEqual(byCurrency(totals));
  expect(
    byCurrency(run.totals.map(({ currency, payoutCount: count, amount }: Row) => ({ currency, count, amount }))),
  ).toEqual(byCurrency(totals));
}

/** Payouts with their entries, statements, exports and files, and the totals of a year. */
export async function checkPayouts(cast: Cast, rows: Rows): Promise<void> {
  const { app } = cast;
  for (const payout of rows.payouts) {
    const { id, status, partnerId, currency, amount, entryCount } = payout;
    const isOpen = (entry: Row) =>
      entry.payoutId === null && entry.partnerId === partnerId && entry.currency === currency;
    const content = rows.entries.filter((entry) => (status === 'queued' ? isOpen(entry) : entry.payoutId === id));
    const sum = content.reduce((total, entry) => total + entry.amount, 0);
    if (status === 'failed' || status === 'canceled') {
      expect(content).toEqual([]);
      continue;
    }
    expect({ id, status, amount, entryCount }).toEqual({ id, status, amount: sum, entryCount: content.length });
    if (status === 'queued') continue;
    const listed = await allOf(app, `/api/ledger?payoutId=${id}`, 2);
    expect(listed.map((entry) => entry.id)).toEqual(content.map((entry) => entry.id));
    const lines = csvOf((await get(app, `/api/payouts/${id}/statement?format=csv`)).text);
    const of = (kind: string) =>
      lines
        .filter(({ line }) => line === kind)
        .reduce((total, { amount: cell, currency: code }) => total + minorOf(cell, code), 0);
    expect([of('entry'), of('subtotal'), of('total')]).toEqual([sum, sum, sum]);
    expect(lines.filter(({ line }) => line === 'entry').length).toBe(entryCount);
  }
  for (const status of ['processing', 'paid', 'failed', 'canceled']) {
    const expected = rows.payouts
      .filter((payout) => payout.status === status)
      .reverse()
      .map(({ id, amount, entryCount }) => ({ id, amount, entryCount }));
    const json = (await get(app, `/api/payouts/export?format=json&status=${status}`)).body.data;
    expect(json.map(({ id, amount, entryCount }: Row) => ({ id, amount, entryCount }))).toEqual(expected);
    for (const { amount, amountDecimal, currency } of json) expect(minorOf(amountDecimal, currency)).toBe(amount);
    const csv = csvOf((await get(app, `/api/payouts/export?status=${status}`)).text);
    expect(
      csv.map((line) => ({
        id: line.payout_id,
        amount: minorOf(line.amount, line.currency),
        entryCount: Number(line.entries),
      })),
    ).toEqual(expected);
  }
  for (const file of await allOf(app, '/api/payouts/files')) {
    const { body } = await get(app, `/api/payouts/files/${file.id}/payouts?limit=100`);
    const stored = body.data.map(({ id }: Row) => rows.payoutById.get(id) as Row);
    expect(body.data.map(({ amount, status }: Row) => [amount, status])).toEqual(
      stored.map(({ amount, status }: Row) => [amount, status]),
    );
    const amount = stored.reduce((sum: number, payout: Row) => sum + payout.amount, 0);
    expect([file.payoutCount, file.amount]).toEqual([stored.length, amount]);
    const { text } = await get(app, `/api/payouts/files/${file.id}`);
    const paid = parseCsv(text).reduce((sum, [, cell = '', currency = '']) => sum + minorOf(cell, currency), 0);
    expect(paid).toBe(amount);
  }
  const byYear = Map.groupBy(
    rows.payouts.filter(({ status }) => status === 'paid'),
    ({ paidAt }) => new Date(paidAt).getUTCFullYear(),
  );
  for (const year of [2025, 2026]) {
    const totals = await allOf(app, `/api/payouts/totals?year=${year}`, 2);
    const paid = Map.groupBy(byYear.get(year) ?? [], ({ partnerId, currency }) => `${partnerId} ${currency}`);
    const expected = [...paid].map(([key, list]) => [
      key,
      list.length,
      list.reduce((sum, { amount }) => sum + amount, 0),
    ]);
    const shown = totals.map((one) => [`${one.partnerId} ${one.currency}`, one.payoutCount, one.amount]);
    expect(shown.sort()).toEqual(expected.sort());
  }
  const shown = csvOf((await get(app, '/api/payouts?format=csv')).text);
  expect(shown.map((line) => [line.payout_id, minorOf(line.amount, line.currency), Number(line.entries)])).toEqual(
    rows.payouts.map(({ id, amount, entryCount }) => [id, amount, entryCount]),
  );
}
