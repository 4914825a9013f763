import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multiplyRatio } from '../../src/core/money.ts';
import { listLedger } from '../../src/ledger/list.ts';
import { ledgerQuery } from '../../src/ledger/schemas.ts';
import { saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { arrivalsOf, editedOrders, type GivenBack, PricedOrder } from '../helpers/edited-orders.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { hints, received, referenced } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { ORDER_ID, orderOf, refundOf, sent } from '../helpers/shopify-orders.ts';
import { saleOf } from './only-sale.ts';

const RUNS = { sqlite: Math.max(rounds(300), 100), postgres: 30 };

/** Enough that chance does not decide whether every kind of order is among them: the rarest is more than one in four. */
const SAMPLES = 2_000;

/** What was refunded of the paid units, by simple counting: exact, in `1 ÷ (gross × presented)` of a minor unit. */
function takenOf(priced: PricedOrder) {
  const { grossMinor, netMinor, order } = priced;
  const presentedMinor = order.shopper === null ? 1 : priced.presented(grossMinor);
  const left = [...order.paid];
  let grossUnits = 0n;
  let base = 0n;
  for (const refund of priced.refunds.toSorted((a, b) => a.at - b.at || a.id - b.id)) {
    const units = (amount: number) => BigInt(amount) * BigInt(refund.isPresented ? grossMinor : presentedMinor);
    const unpaid = { amountMinor: 0, netMinor: 0 };
    for (const { line, quantity, ...amounts } of refund.lines) {
      const paid = Math.min(left[line] ?? 0, quantity);
      left[line] = (left[line] ?? 0) - paid;
      unpaid.amountMinor += multiplyRatio(amounts.amountMinor, quantity - paid, quantity);
      unpaid.netMinor += multiplyRatio(amounts.netMinor, quantity - paid, quantity);
    }
    const amount = refund.amountMinor - unpaid.amountMinor;
    const counted = refund.isPresented ? Math.min(amount, presentedMinor) : amount;
    grossUnits += units(counted);
    base += isPlain(refund)
      ? units(counted) * BigInt(netMinor)
      : units(Math.min(netOf(refund) - unpaid.netMinor, counted)) * BigInt(grossMinor);
  }
  return { grossUnits, base, presentedMinor };
}

const isPlain = ({ lines, shippingMinor }: GivenBack) => lines.length === 0 && shippingMinor === 0;
const netOf = ({ lines }: GivenBack) => lines.reduce((sum, line) => sum + line.netMinor, 0);

/** What must be refunded, taken from the commission of 20 %, and held of it. */
function expectedOf(priced: PricedOrder) {
  const { dispute } = priced.order;
  const disputed = Math.floor((priced.grossMinor * (dispute?.percent ?? 0)) / 100);
  const { refunded, reversed } = takenWith(priced, dispute?.isLost ? disputed : 0);
  return { refunded, reversed, held: takenWith(priced, disputed).reversed - reversed };
}

/** What must be refunded, and taken from the commission, with this amount disputed in addition. */
function takenWith(priced: PricedOrder, disputedMinor: number) {
  const { grossMinor, netMinor } = priced;
  const commission = multiplyRatio(netMinor, 2_000, 10_000);
  const { grossUnits, base, presentedMinor } = takenOf(priced);
  const unit = BigInt(presentedMinor);
  const refunded = Number((2n * (grossUnits + BigInt(disputedMinor) * unit) + unit) / (2n * unit));
  if (refunded >= grossMinor) return { refunded: grossMinor, reversed: commission };
  const all = BigInt(netMinor) * BigInt(grossMinor) * unit;
  const part = base + BigInt(disputedMinor) * BigInt(netMinor) * unit;
  const reversed = part >= all ? commission : Number((2n * BigInt(commission) * part + all) / (2n * all));
  return { refunded, reversed };
}

it('the orders are of every kind, each many times', () => {
  const met = { 'added and given back': 0, 'a gift card that was': 0, "in the shopper's currency": 0, partial: 0 };
  for (const order of fc.sample(editedOrders, SAMPLES)) {
    const priced = new PricedOrder(order);
    const { refunded, reversed } = expectedOf(priced);
    met.partial += reversed > 0 && refunded < priced.grossMinor ? 1 : 0;
    met["in the shopper's currency"] += priced.refunds.some(({ isPresented }) => isPresented) ? 1 : 0;
    const isAddedBack = ({ lines }: GivenBack) => lines.some(({ line }) => (order.added[line] ?? 0) > 0);
    met['added and given back'] += priced.refunds.some(isAddedBack) ? 1 : 0;
    const isCardBack = ({ lines }: GivenBack) => lines.some(({ line }) => line === order.giftCard);
    met['a gift card that was'] += priced.refunds.some(isCardBack) ? 1 : 0;
  }
  for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(SAMPLES / 5);
});

describe.each(engines)('orders that were edited after their payment, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  it(`${RUNS[engine]} of them, reported in any order, lose the commission for the paid items that were refunded`, async () => {
    const shuffled = editedOrders.chain((order) => {
      const priced = new PricedOrder(order);
      const names = Object.keys(arrivalsOf(priced));
      return fc.tuple(fc.constant(priced), fc.shuffledSubarray(names, { minLength: names.length }));
    });
    await fc.assert(
      fc.asyncProperty(shuffled, async ([priced, names]) => {
        const { refunded, reversed, held } = expectedOf(priced);
        const account = await createReferredAccount(app.service);
        const arrivals = arrivalsOf(priced);
        for (const name of names) await arrivals[name]?.(app, account);
        const { sales } = await endStateOf(app.service, account.accountId);
        expect(sales).toMatchObject([
          {
            amount: priced.netMinor,
            grossAmount: priced.grossMinor,
            refundedAmount: refunded,
            reversedCommissionAmount: reversed,
            held: held === 0 ? 0 : -held,
          },
        ]);
        await requireAgreement(app.service, account.accountId);
      }),
      { numRuns: RUNS[engine] },
    );
  });

  it('keep what was paid when an earlier report arrives later, and note it; one that reports the same changes nothing', async () => {
    const account = await createReferredAccount(app.service);
    const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
    await lead?.(app, account);
    await tell('orders/paid', orderOf([[1, 3, 9_000]], { updated_at: '2026-11-03T12:00:00Z' }));
    await tell('orders/paid', orderOf([[1, 2, 6_000]], { updated_at: '2026-11-02T12:00:00Z' }));
    const sale = await saleOf(app, account);
    expect(sale).toMatchObject({ amount: 6_000, grossAmount: 6_980, commissionAmount: 1_200 });
    expect(sale.attribution.steps.at(-1)?.reason).toBe(
      'the order cost this before it was edited: 60.00 EUR instead of 90.00 EUR',
    );
    await tell('orders/create', orderOf([[1, 2, 6_000]], { updated_at: '2026-11-01T12:00:00Z' }));
    expect(await saleOf(app, account)).toEqual(sale);
    // the change came later, and was undone
    await tell('orders/paid', orderOf([[1, 4, 12_000]], { updated_at: '2026-11-01T13:00:00Z' }));
    expect(await saleOf(app, account)).toEqual(sale);
    const { data } = await listLedger(app.service, account.accountId, parseInput(ledgerQuery, {}));
    expect(data.map(({ kind, amount }) => `${kind} ${amount}`).sort()).toEqual(['adjustment -600', 'commission 1800']);
    await requireAgreement(app.service, account.accountId);
  });

  it("keep the amount that the caller reported, but use the total and the lines of Shopify's first report", async () => {
    const account = await createReferredAccount(app.service);
    const { accountId, clickId } = account;
    const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
    const body = { clickId, customerExternalId: 'mia', amount: 5_000, currency: 'eur', paymentProcessor: 'shopify' };
    await trackSale(app.service, accountId, parseInput(saleInput, { ...body, invoiceId: ORDER_ID }));
    const edited: Parameters<typeof orderOf>[0] = [
      [1, 2, 6_000],
      [3, 1, 3_000],
    ];
    await tell('orders/paid', orderOf(edited, { updated_at: '2026-11-02T12:00:00Z' }));
    expect(await saleOf(app, account)).toMatchObject({ amount: 5_000, grossAmount: 10_220 });
    await tell('orders/paid', orderOf([[1, 2, 6_000]]));
    await tell('refunds/create', refundOf(2, [[3, 1, 3_000]], { paidBackIn: 'EUR' }));
    const sale = await saleOf(app, account);
    expect(sale).toMatchObject({ amount: 5_000, grossAmount: 6_980, commissionAmount: 1_000, refundedAmount: 0 });
    expect(Object.keys(sale.terms ?? {}).sort()).toEqual([
      'amountBasis',
      'commission',
      'durationMonths',
      'holdDays',
      'source',
    ]);
    const { data } = await listLedger(app.service, accountId, parseInput(ledgerQuery, {}));
    expect(data.map(({ kind, amount }) => `${kind} ${amount}`)).toEqual(['commission 1000']);
    await requireAgreement(app.service, account.accountId);
  });

  it.each(['orders/paid', 'orders/create'])(
    'keep the amount that the caller reported to an earlier version, when %s arrives first',
    async (first) => {
      const account = await createReferredAccount(app.service);
      const { accountId, clickId } = account;
      const tell = (topic: string, body: Record<string, unknown>) => sent(topic, body)?.(app, account);
      const body = { clickId, customerExternalId: 'mia', amount: 5_000, currency: 'eur', paymentProcessor: 'shopify' };
      await trackSale(app.service, accountId, parseInput(saleInput, { ...body, invoiceId: ORDER_ID }));
      const { id } = await saleOf(app, account);
      await app.service.database.write(async (tx) => {
        const row = await tx.get<{ terms: string }>('SELECT terms FROM sales WHERE id = @id', { id });
        const { isCallersAmount: _, ...terms } = JSON.parse(row?.terms ?? '');
        await tx.run('UPDATE sales SET terms = @terms WHERE id = @id', { id, terms: JSON.stringify(terms) });
      });
      const times = { 'orders/paid': '2026-11-02T12:00:01Z', 'orders/create': '2026-11-02T12:00:00Z' };
      const told = Object.entries(times).toSorted(([topic]) => (topic === first ? -1 : 1));
      for (const [topic, updated_at] of told) await tell(topic, orderOf([[1, 2, 6_000]], { updated_at }));
      expect(await saleOf(app, account)).toMatchObject({ amount: 5_000, grossAmount: 6_980, commissionAmount: 1_000 });
      await requireAgreement(app.service, account.accountId);
    },
  );

  it('keep the total that the shop wrote first when an earlier version stored it for the sale of the caller', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId, clickId } = account;
    const stated = (grossMinor: number, statedAt: number) =>
      facts(received(['in_1'], hints(MIA), { grossMinor, statedAt }))(app, account);
    const body = { clickId, customerExternalId: 'mia', amount: 12_000, currency: 'usd', paymentProcessor: 'stripe' };
    await trackSale(app.service, accountId, parseInput(saleInput, { ...body, invoiceId: 'in_1' }));
    await stated(12_000, 1);
    await app.service.database.write((tx) =>
      tx.run(`UPDATE sales SET terms = REPLACE(terms, ',"isGrossReported":true', '') WHERE account_id = @accountId`, {
        accountId,
      }),
    );
    await stated(15_000, 2);
    expect(await saleOf(app, account)).toMatchObject({ amount: 12_000, grossAmount: 12_000 });
  });

  it('keep their own amount when a sale that the caller reported turns out to be the same payment', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId, clickId } = account;
    const tell = facts(received(['pi_1'], hints(MIA), { statedAt: 2 }));
    await lead?.(app, account);
    await tell(app, account);
    const body = { clickId, customerExternalId: 'mia', amount: 5_000, currency: 'usd', paymentProcessor: 'stripe' };
    await trackSale(app.service, accountId, parseInput(saleInput, { ...body, invoiceId: 'in_1' }));
    await facts(received(['in_1'], hints(MIA), { statedAt: 1 }), referenced('in_1', 'pi_1'))(app, account);
    const { sales, ofSecondRecords } = await endStateOf(app.service, accountId);
    expect(sales).toMatchObject([{ amount: 10_000, grossAmount: 12_000, commissionAmount: 2_000 }]);
    expect(ofSecondRecords).toBe(0);
  });

  it('explain in the delivery why a refund of what was added takes nothing', async () => {
    const account = await createReferredAccount(app.service);
    await lead?.(app, account);
    await sent('orders/paid', orderOf([[1, 2, 6_000]]))?.(app, account);
    const refund = sent('refunds/create', refundOf(2, [[3, 1, 3_000]], { paidBackIn: 'EUR' }));
    expect(await refund?.(app, account)).toMatchObject({
      outcome: 'noted',
      reason: 'reverses nothing: what it returned was added after the payment, or was already reversed',
    });
    expect(await refund?.(app, account)).toMatchObject({ outcome: 'duplicate', reason: 'already known' });
    expect(await saleOf(app, account)).toMatchObject({ refundedAmount: 0, note: null, refunds: [{ amount: 3_240 }] });
  });
});
