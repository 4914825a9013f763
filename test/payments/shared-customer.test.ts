import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { leadWith } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received } from '../helpers/facts.ts';
import { rounds } from '../helpers/rounds.ts';

const RUNS = { sqlite: rounds(100), postgres: rounds(10) };

/** One customer of Stripe pays for two workspaces of ours, each with a subscription. */
const atStripe = (workspace: number) => ({
  processorCustomerId: 'cus_boss',
  subscriptionId: `sub_${workspace}`,
});
const session = (workspace: number): Fact[] => {
  const customer = hints({ externalId: `workspace ${workspace}`, ...atStripe(workspace) });
  const references = [`in_${workspace}`, `cs_${workspace}`];
  return [{ kind: 'payment.referenced', references, customer }, identified({ ...customer, email: 'boss@example.com' })];
};
const invoice = (workspace: number) => received([`in_${workspace}`], hints(atStripe(workspace)));
const renewal = (workspace: number) =>
  received([`in_${workspace}_renewal`], hints(atStripe(workspace)), { recurring: true });
/** Says nothing but which customer of Stripe has the subscription. */
const change = (workspace: number) => identified(hints(atStripe(workspace)));

describe.each(engines)('one Stripe customer who pays for two customers of ours, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  beforeEach(async () => {
    account = await createReferredAccount(app.service);
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, account.accountId, ...facts);
  const lead = (workspace: number) => leadWith({ customerExternalId: `workspace ${workspace}` })(app, account);
  const buyers = async () => {
    const { data } = await listSales(app.service, account.accountId, parseInput(saleListQuery, { limit: '100' }));
    return Object.fromEntries(data.map(({ invoiceId, customer }) => [invoiceId, customer.externalId]));
  };
  const inAnyOrder = (names: string[], check: (order: string[]) => Promise<void>) =>
    fc.assert(fc.asyncProperty(fc.shuffledSubarray(names, { minLength: names.length }), check), {
      numRuns: RUNS[engine],
    });

  it('attributes each renewal to the customer whom the session of its subscription named, after any order', async () => {
    const arrivals: Record<string, () => Promise<unknown>> = {
      'lead 1': () => lead(1),
      'lead 2': () => lead(2),
      'session 1': () => tell(...session(1)),
      'session 2': () => tell(...session(2)),
      'invoice 1': () => tell(invoice(1)),
      'invoice 2': () => tell(invoice(2)),
      'change 1': () => tell(change(1)),
      'change 2': () => tell(change(2)),
    };
    await inAnyOrder(Object.keys(arrivals), async (order) => {
      account = await createReferredAccount(app.service);
      for (const name of order) await arrivals[name]?.();
      await tell(renewal(2), renewal(1));
      expect(await buyers()).toMatchObject({ in_1_renewal: 'workspace 1', in_2_renewal: 'workspace 2' });
    });
  });

  it('attributes each first invoice to the customer whom its session named before it', async () => {
    await inAnyOrder(['1', '2'], async (order) => {
      account = await createReferredAccount(app.service);
      await lead(1);
      await lead(2);
      for (const workspace of order) await tell(...session(Number(workspace)), invoice(Number(workspace)));
      expect(await buyers()).toEqual({ in_1: 'workspace 1', in_2: 'workspace 2' });
    });
  });

  it('attributes a payment to the customer of its subscription, although only the click of the other is known', async () => {
    const { clickId } = account;
    await lead(3);
    const other = identified(hints({ ...atStripe(1), externalId: 'workspace 1', clickId }));
    await tell(identified(hints({ ...atStripe(2), externalId: 'workspace 2' })), other, renewal(2), renewal(1));
    expect(await buyers()).toEqual({ in_1_renewal: 'workspace 1', in_2_renewal: 'workspace 2' });
  });

  it('does not move a sale that was counted before its session named another customer', async () => {
    await lead(1);
    await lead(2);
    await tell(...session(1), invoice(1), invoice(2), ...session(2), renewal(2));
    expect(await buyers()).toEqual({ in_1: 'workspace 1', in_2: 'workspace 1', in_2_renewal: 'workspace 2' });
  });
});
