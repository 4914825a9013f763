import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

describe.each(engines)("a partner's own purchase, on %s", (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let email: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  beforeEach(async () => {
    email = `${unique('ada')}@example.com`;
    referrer = await createReferrer(app, { email });
  });
  afterAll(() => app.close());

  const guard = (selfReferral: string) =>
    app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral } });
  const show = async (saleId: string) => (await app.call('GET', `/api/sales/${saleId}`)).body;
  const decide = (saleId: string, decision: string, body?: unknown) =>
    app.call('POST', `/api/sales/${saleId}/${decision}`, { body });
  const guardSteps = (sale: { attribution: { steps: { step: string; reason: string }[] } }) =>
    sale.attribution.steps.filter(({ step }) => step === 'self_referral').map(({ reason }) => reason);
  const payable = async () => {
    const { body } = await runPayouts(app, { at: '2099-12-31', dryRun: true });
    return body.data.filter(({ partnerId }: { partnerId: string }) => partnerId === referrer.partnerId);
  };

  it('earns as usual when the rule is off', async () => {
    await guard('off');
    const sale = await show(await sell(app, referrer, { customerEmail: email }));
    expect([sale.review, guardSteps(sale)]).toEqual([null, []]);
    expect(await payable()).toMatchObject([{ amount: 2000 }]);
  });

  it('flagged: is not paid until it is approved', async () => {
    await guard('flag');
    const saleId = await sell(app, referrer, { customerEmail: email.toUpperCase() });
    const flagged = await show(saleId);
    expect(flagged).toMatchObject({
      review: 'flagged',
      status: 'pending',
      commissionAmount: 2000,
      reversedCommissionAmount: 0,
    });
    expect(guardSteps(flagged)).toEqual([
      "the buyer's e-mail address is the partner's: nothing is paid out until the sale is reviewed",
    ]);
    expect(await payable()).toEqual([]);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ earned: 2000, held: 2000, payable: 0 });
    const { body: list } = await app.call('GET', '/api/sales?review=flagged');
    expect(list.data.map(({ id }: { id: string }) => id)).toContain(saleId);

    const approved = await decide(saleId, 'approve', { reason: 'A present for a friend' });
    expect([approved.status, approved.body.review]).toEqual([200, 'approved']);
    expect(guardSteps(approved.body)[1]).toMatch(/^approved by key_\w+: A present for a friend$/);
    expect(await payable()).toMatchObject([{ amount: 2000 }]);
  });

  it('flagged and rejected: earns nothing, and the trace says who decided', async () => {
    await guard('flag');
    const saleId = await sell(app, referrer, { customerEmail: email });
    const { body } = await decide(saleId, 'reject');
    expect(body).toMatchObject({
      review: 'rejected',
      status: 'rejected',
      reversedCommissionAmount: 2000,
      refundedAmount: 0,
      note: 'a self-referral, rejected',
    });
    expect(body.entries.map(({ kind, amount, reason }: Record<string, unknown>) => [kind, amount, reason])).toEqual([
      ['commission', 2000, null],
      ['reversal', -2000, 'a self-referral, rejected'],
    ]);
    expect(guardSteps(body)[1]).toMatch(/^rejected by key_\w+$/);
    expect(await payable()).toEqual([]);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({
      earned: 2000,
      reversed: 2000,
      held: 0,
      payable: 0,
    });
  });

  it('refused: earns nothing from the start, also for a payment by webhook', async () => {
    await guard('refuse');
    const customer = unique('user');
    await referrer.lead(customer, { customerEmail: email });
    const stripe = await createEndpoint(app, 'stripe');
    expect((await stripe.deliver(checkoutCompleted({ externalId: customer, amount: 5000 }))).body.outcome).toBe('sale');
    const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    const sale = await show(body.data[0].id);
    expect(sale).toMatchObject({
      review: 'rejected',
      status: 'rejected',
      commissionAmount: 1000,
      reversedCommissionAmount: 1000,
    });
    expect(guardSteps(sale)).toEqual([
      "the buyer's e-mail address is the partner's: the program refuses self-referrals",
    ]);
    expect(await payable()).toEqual([]);
  });

  it('a refund of a rejected sale is stored, and reverses nothing twice', async () => {
    await guard('refuse');
    const saleId = await sell(app, referrer, { customerEmail: email });
    const { body } = await app.call('POST', `/api/sales/${saleId}/refunds`, {
      body: { refundId: 're', amount: 10_000 },
    });
    expect(body).toMatchObject({ refundedAmount: 10_000, reversedCommissionAmount: 2000 });
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ earned: 2000, reversed: 2000 });
  });

  it('only a flagged sale can be decided, and only once', async () => {
    await guard('flag');
    const usual = await sell(app, referrer, { customerEmail: 'mia@example.com' });
    const refused = await decide(usual, 'approve');
    expect([refused.status, refused.body.error]).toEqual([
      409,
      { code: 'INVALID_STATE', message: `Sale ${usual} was not flagged; only a sale that is flagged can be approved` },
    ]);
    const flagged = await sell(app, referrer, { customerEmail: email });
    const answers = await Promise.all(
      ['approve', 'reject', 'approve', 'reject'].map((decision) => decide(flagged, decision)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect((await decide('sal_unknown', 'reject')).status).toBe(404);
    expect((await decide(flagged, 'reject', { reason: 5 })).body.error.code).toBe('VALIDATION_ERROR');
  });
});
