import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { orderOf, refundOf, sent, type Units } from '../helpers/shopify-orders.ts';
import { saleOf } from './only-sale.ts';

/** 64.80 with tax, and 5.00 of shipping; a commission of 12.00. */
const PAID: Units[] = [[1, 2, 6_000]];
const ADDED: Units = [3, 1, 3_000];

/** A return of these units, which cost 32.40 with tax, that paid back less. */
const returned = (units: Units, amount: string) => ({
  ...refundOf(2, [units], { paidBackIn: 'EUR' }),
  transactions: [{ kind: 'refund', status: 'success', amount, currency: 'EUR' }],
  return: { id: 8 },
});

describe.each(engines)('orders of Shopify whose returned items cost a fee, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  it.each([
    ['an item', returned([1, 1, 3_000], '27.00'), ['refunds/create'], 464],
    ['an item', returned([1, 1, 3_000], '27.00'), ['orders/updated'], 500],
    ['an item', returned([1, 1, 3_000], '27.00'), ['refunds/create', 'orders/updated'], 500],
    ['an item', returned([1, 1, 3_000], '27.00'), ['orders/updated', 'refunds/create'], 500],
    ['an item whose fee equals its tax', returned([1, 1, 3_000], '30.00'), ['refunds/create', 'orders/updated'], 552],
    ['an item whose fee equals its tax', returned([1, 1, 3_000], '30.00'), ['orders/updated', 'refunds/create'], 552],
    ['an item that was added', returned(ADDED, '27.00'), ['refunds/create', 'orders/updated'], 0],
    ['an item that was added', returned(ADDED, '27.00'), ['orders/updated', 'refunds/create'], 0],
  ])('lose the commission on what was paid back of %s: %#', async (_what, refund, topics, reversedCommissionAmount) => {
    const account = await createReferredAccount(app.service);
    await lead?.(app, account);
    await sent('orders/paid', orderOf(PAID))?.(app, account);
    const updated = orderOf([...PAID, ADDED], { refunds: [refund] });
    for (const topic of topics) await sent(topic, topic === 'refunds/create' ? refund : updated)?.(app, account);
    expect(await saleOf(app, account)).toMatchObject({ commissionAmount: 1_200, reversedCommissionAmount });
    await requireAgreement(app.service, account.accountId);
  });
});
