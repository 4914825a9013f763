import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import type { PaymentReceived } from '../../src/core/facts.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { createListener, fetchEvents } from '../../src/events/listeners.ts';
import { listLedger } from '../../src/ledger/list.ts';
import { ledgerQuery } from '../../src/ledger/schemas.ts';
import type { RefundFact } from '../../src/payments/receive-refunds.ts';
import { CurrencyMismatch } from '../../src/payments/reported-amounts.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received, refunded, refundUndone } from '../helpers/facts.ts';
import { observeQueries } from '../helpers/observe-queries.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { saleOf } from './only-sale.ts';

const RUNS = { sqlite: rounds(100), postgres: rounds(30) };
const MINUTE_MS = 60_000;
const PAYMENT: [string] = ['in_1'];
/** Of 120.00 for two kits and a lamp; 110.00 to the shopper. */
const PAID: Partial<PaymentReceived> = {
  lines: { kit: 2, lamp: 1 },
  presentment: { currency: 'eur', grossMinor: 11_000 },
};

const report = fc.record({
  minor: fc.constantFrom(0, 1, 333, 1_000, 2_500, 12_000),
  currency: fc.constantFrom('usd', 'usd', 'eur'),
  line: fc.constantFrom('kit', 'lamp', 'gift', null),
  charge: fc.constantFrom({}, {}, { chargeId: 'ch_1' }, { chargeId: 'ch_2' }),
  minutes: fc.integer({ min: 0, max: 5 }),
  kind: fc.constantFrom('of a line', 'of a line', 'of a line', 'of an amount', 'total', 'failed'),
});

/** Reports about refunds from this number on: of a line, of an amount, of a total so far, or that an earlier one failed. */
const reportsFrom = (first: number): fc.Arbitrary<RefundFact[]> =>
  fc.array(report, { minLength: 2, maxLength: 12 }).map((all) =>
    all.map(({ minor: amountMinor, currency, line: lineId, charge, minutes, kind }, index) => {
      const nth = first + index;
      const refundId = `re_${nth}`;
      const commissionableMinor = Math.floor(amountMinor * 0.8);
      const lines = amountMinor === 0 ? [] : [{ lineId, quantity: 1, amountMinor, commissionableMinor }];
      const ofAmount = { refundId, amountMinor, ...charge };
      const fact = {
        'of a line': refunded(PAYMENT, { ...ofAmount, commissionableMinor, lines }, currency),
        'of an amount': refunded(PAYMENT, ofAmount, currency),
        // another than all before, because one that is known is not settled until the end
        total: refunded(PAYMENT, { cumulativeAmountMinor: amountMinor + nth, ...charge }, currency),
        failed: refundUndone(PAYMENT, `re_${first + Math.floor(index / 2)}`, null),
      }[kind];
      return { ...fact, occurredAt: fact.occurredAt + minutes * MINUTE_MS };
    }),
  );
const reports = reportsFrom(0);

describe.each(engines)('many refunds of a sale in one delivery, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  /** What the deliveries lead to: the sale, its ledger and what a listener was told, with ids in the order of their appearance. */
  async function endOf(deliveries: readonly RefundFact[][], program: Record<string, unknown>, isListening: boolean) {
    const { service } = app;
    const account = await createReferredAccount(service, program);
    const { accountId } = account;
    await lead(app, account);
    const { id } = isListening
      ? await createListener(service, accountId, ['commission.created', 'sale.refunded', 'sale.disputed'])
      : { id: null };
    await applyFacts(service, accountId, received(PAYMENT, hints(MIA), PAID));
    const failures = new Set<string>();
    for (const facts of deliveries) {
      for (const failure of await failuresOf(service, accountId, facts)) failures.add(failure);
    }
    await requireAgreement(service, accountId);
    const { data: ledger } = await listLedger(service, accountId, parseInput(ledgerQuery, { limit: '100' }));
    const events = id === null ? [] : (await fetchEvents(service, accountId, id, [])).data;
    const refunds = await service.database.read((tx) =>
      tx.all(
        `SELECT refund_key, amount, currency, commissionable, lines, failed, refunded_at, failed_at FROM refunds
          WHERE account_id = @accountId ORDER BY refund_key`,
        { accountId },
      ),
    );
    const end = { sale: await saleOf(app, account), ledger, events, failures: [...failures] };
    return { ...(inOrderOfIds(end) as object), refunds };
  }

  it('leads to the same sale, ledger and events as a delivery for each', async () => {
    await fc.assert(
      fc.asyncProperty(
        reports,
        fc.constantFrom('net', 'gross'),
        fc.boolean(),
        async (facts, amountBasis, isListening) => {
          const each = facts.map((fact) => [fact]);
          const ends = [[facts], each].map((deliveries) => endOf(deliveries, { amountBasis }, isListening));
          const [ofOne, ofEach] = await Promise.all(ends);
          expect(ofOne).toEqual(ofEach);
        },
      ),
      { numRuns: RUNS[engine] },
    );
  });

  it('fails those that cannot be converted, and counts the others as if each had come alone', async () => {
    await fc.assert(
      // one that is known is not settled until the end
      fc.asyncProperty(reports, reportsFrom(20), fc.boolean(), async (stored, facts, isListening) => {
        const inPounds = facts.map((fact, nth) => (nth % 3 === 1 ? fact : { ...fact, currency: 'gbp' }));
        const each = inPounds.map((fact) => [fact]);
        const ends = [[inPounds], each].map((deliveries) => endOf([stored, ...deliveries], {}, isListening));
        const [ofOne, ofEach] = await Promise.all(ends);
        expect(ofOne).toEqual(ofEach);
      }),
      { numRuns: RUNS[engine] },
    );
  });

  it('tries those that cannot be converted together, not each for itself', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    await lead(app, account);
    await applyFacts(app.service, accountId, received(PAYMENT, hints(MIA)));
    const inCurrency = (currency: string, first: number, count: number) =>
      Array.from({ length: count }, (_, nth) =>
        refunded(PAYMENT, { refundId: `re_${first + nth}`, amountMinor: 20 }, currency),
      );
    await applyFacts(app.service, accountId, ...inCurrency('usd', 0, 100));
    let reads = 0;
    const observed = observeQueries(app.service, (sql) => {
      if (/FROM refunds WHERE payment_id = @paymentId/.test(sql)) reads += 1;
    });
    const unconvertible = inCurrency('gbp', 100, 200);
    const mixed = [...unconvertible.slice(0, 150), ...inCurrency('usd', 300, 1), ...unconvertible.slice(150)];
    const failed = {
      outcome: 'failed',
      reason: expect.stringMatching(/^A refund or dispute in gbp of sale \S+ in usd /),
    };
    expect(await applyFacts(observed, accountId, ...mixed)).toMatchObject(failed);
    // 201 in runs of 40
    expect(reads).toBe(6);
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 2_020, reversedCommissionAmount: 337 });
    await requireAgreement(app.service, accountId);
  });

  it('settles them in parts when they are so many that other requests would wait long', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    await lead(app, account);
    await applyFacts(app.service, accountId, received(PAYMENT, hints(MIA)));
    const refunds = Array.from({ length: 520 }, (_, nth) =>
      refunded(PAYMENT, { refundId: `re_${nth}`, amountMinor: 20 }),
    );
    const known: number[] = [];
    const observed = observeQueries(app.service, (sql, result) => {
      if (/FROM refunds WHERE payment_id = @paymentId/.test(sql)) known.push((result as unknown[]).length);
    });
    await applyFacts(observed, accountId, ...refunds);
    expect(known).toEqual(Array.from({ length: 13 }, (_, run) => run * 40));
    // 20 % of what is in it without tax
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 10_400, reversedCommissionAmount: 1_733 });
    await requireAgreement(app.service, accountId);
  });

  it('gives way to other requests while it compares failed ones with many known ones', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    await lead(app, account);
    await applyFacts(app.service, accountId, received(PAYMENT, hints(MIA)));
    const queries: string[] = [];
    const observed = observeQueries(app.service, (sql) => queries.push(sql));
    const gaveWay = () => queries.filter((sql) => sql === 'SELECT 1 AS one').length;
    const each = Array.from({ length: 250 }, (_, nth) => `re_${nth}`);
    const refunds = each.map((refundId) => refunded(PAYMENT, { refundId, amountMinor: 20 }));
    await applyFacts(observed, accountId, ...refunds);
    expect(gaveWay()).toBe(0);
    const failures = each.slice(0, 40).map((refundId) => refundUndone(PAYMENT, refundId, 20));
    await applyFacts(observed, accountId, ...failures);
    // each of the 40 is compared with 250
    expect(gaveWay()).toBe(5);
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 4_200, reversedCommissionAmount: 700 });
    await requireAgreement(app.service, accountId);
  });
});

/** Why refunds of a delivery cannot be converted. A single one has it rejected. */
async function failuresOf(service: Service, accountId: AccountId, facts: RefundFact[]): Promise<string[]> {
  try {
    const { outcome, reason } = await applyFacts(service, accountId, ...facts);
    return outcome === 'failed'
      ? (reason ?? '').split('; ').filter((part) => part.endsWith('cannot be converted'))
      : [];
  } catch (error) {
    if (error instanceof CurrencyMismatch) return [error.message];
    throw error;
  }
}

const ID = /\b[a-z]{3}_[0-9A-Za-z]{32}\b/g;

function inOrderOfIds(value: object): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value).replace(ID, (id) => {
    const name = ids.get(id) ?? `${id.slice(0, 3)}_${ids.size}`;
    ids.set(id, name);
    return name;
  });
  return JSON.parse(text);
}
