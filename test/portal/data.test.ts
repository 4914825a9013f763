import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { runPayouts, sell } from '../helpers/earning.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, disputeOf } from '../helpers/stripe-payloads.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 9, 1, 12);
const LISTED = 'https://app.example.com';
const PARTS = ['terms', 'links', 'statistics', 'earnings', 'sales', 'payouts'];

describe.each(engines)("the data of a partner's portal on %s", (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let token: string;
  let now = START;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    await change({ portal: { allowedOrigins: [LISTED] }, minimumPayout: { usd: 1000 } });
    referrer = await createReferrer(app, { email: 'paula@example.com' });
  });
  beforeEach(async () => {
    token = await tokenOf(referrer.partnerId);
  });
  afterAll(() => app.close());

  const change = (body: object) => app.call('PATCH', `/api/programs/${app.programId}`, { body });
  const tokenOf = async (enrollmentId: string, key = app.apiKey): Promise<string> =>
    (await app.call('POST', '/api/embed/token', { body: { enrollmentId, expiresIn: 86_400 }, key })).body.publicToken;
  const get = (part: string, key: string | null = token, headers: Record<string, string> = {}) =>
    app.call('GET', `/api/embed/referrals/${part}`, { key, headers });
  const dataOf = async (part: string, key = token) => (await get(part, key)).body.data;
  const newPartner = async (): Promise<[Referrer, string]> => {
    const added = await createReferrer(app);
    return [added, await tokenOf(added.partnerId)];
  };

  it('is complete and empty for a new partner', async () => {
    const [{ linkId }, key] = await newPartner();
    expect((await get('terms', key)).body).toEqual({
      commission: { type: 'percentage', rateBasisPoints: 2000 },
      durationMonths: null,
      holdDays: 30,
      minimumPayout: { usd: 1000 },
      amountBasis: 'net',
      archivedAt: null,
    });
    expect(await dataOf('links', key)).toEqual([
      expect.objectContaining({ id: linkId, commission: null, clicks: 0, leads: 0, sales: 0, earnedCommission: {} }),
    ]);
    const { interval, data, totals } = (await get('statistics', key)).body;
    expect([interval, data.length, data[0].start, data.at(-1).start]).toEqual([
      'month',
      12,
      '2025-11-01',
      '2026-10-01',
    ]);
    expect(totals).toEqual({ clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} });
    for (const part of ['earnings', 'sales', 'payouts']) expect(await dataOf(part, key), part).toEqual([]);
  });

  it("has the partner's own commission, if there is one", async () => {
    const { partnerId } = await createReferrer(app, { commission: { type: 'flat', amounts: { eur: 700 } } });
    expect((await get('terms', await tokenOf(partnerId))).body.commission).toEqual({
      type: 'flat',
      amounts: { eur: 700 },
    });
  });

  it('shows sales with hidden customers, results, earnings, and payouts with their statement', async () => {
    const [own, key] = await newPartner();
    const first = await sell(app, own, { customerEmail: 'mara.lindqvist@example.com' });
    await own.lead(unique('user'));
    expect(await dataOf('earnings', key)).toEqual([
      { currency: 'usd', earned: 2000, reversed: 0, held: 2000, available: 0, processing: 0, paid: 0 },
    ]);
    now += 31 * DAY_MS;
    const run = await runPayouts(app);
    const mine = run.body.data.find(({ partnerId }: { partnerId: string }) => partnerId === own.partnerId);
    await app.call('POST', `/api/payouts/${mine.id}/paid`, { body: { note: 'internal: SEPA 4711' } });
    const fresh = await tokenOf(own.partnerId);
    const second = await sell(app, own, { amount: 5000, currency: 'jpy' });

    const paidAt = new Date(now).toISOString();
    expect(await dataOf('sales', fresh)).toEqual([
      {
        id: second,
        occurredAt: paidAt,
        customer: null,
        amount: 5000,
        currency: 'jpy',
        commissionAmount: 1000,
        reversedCommissionAmount: 0,
        status: 'pending',
        reversalReason: null,
      },
      expect.objectContaining({ id: first, customer: 'm…@example.com', status: 'paid', amount: 10_000 }),
    ]);
    expect(await dataOf('earnings', fresh)).toEqual([
      { currency: 'jpy', earned: 1000, reversed: 0, held: 1000, available: 0, processing: 0, paid: 0 },
      { currency: 'usd', earned: 2000, reversed: 0, held: 0, available: 0, processing: 0, paid: 2000 },
    ]);
    const payouts = await get('payouts', fresh);
    expect(payouts.text).not.toContain('4711');
    expect(payouts.body.data).toEqual([
      { id: mine.id, currency: 'usd', amount: 2000, status: 'paid', startedAt: paidAt, paidAt, entryCount: 1 },
    ]);
    const statement = (await get(`payouts/${mine.id}/statement`, fresh)).body;
    expect(statement).toMatchObject({
      payout: { id: mine.id, amount: 2000 },
      programName: 'Example Ltd',
      partner: { email: expect.stringContaining('@example.com') },
      data: [{ kind: 'commission', saleId: first, amount: 2000 }],
      nextCursor: null,
    });

    const [link] = await dataOf('links', fresh);
    expect(link).toMatchObject({ clicks: 3, leads: 1, sales: 2, earnedCommission: { jpy: 1000, usd: 2000 } });
    const { data, totals } = (await get('statistics', fresh)).body;
    expect(totals).toMatchObject({ clicks: 3, leads: 1, sales: 2, revenue: { jpy: 5000, usd: 10_000 } });
    expect(data.slice(-2)).toMatchObject([
      { start: '2026-10-01', clicks: 2, sales: 1, revenue: { usd: 10_000 } },
      { start: '2026-11-01', clicks: 1, sales: 1, earnedCommission: { jpy: 1000 } },
    ]);
    const days = (await get('statistics?interval=day&from=2026-10-31&to=2026-11-03', fresh)).body.data;
    expect(days.map(({ start, sales }: { start: string; sales: number }) => [start, sales])).toEqual([
      ['2026-10-31', 0],
      ['2026-11-01', 1],
      ['2026-11-02', 0],
    ]);
  });

  it('says why a commission was reversed or is held', async () => {
    // the processor signs with the current time
    now = Date.now();
    const own = await createReferrer(app);
    const stripe = await createEndpoint(app, 'stripe');
    const disputed = async (status: string) => {
      const [user, intent] = [unique('user'), unique('pi')];
      await own.lead(user);
      await stripe.deliver(checkoutCompleted({ externalId: user, amount: 10_000, paymentIntent: intent }));
      const opened = disputeOf(intent, `du_${intent}`, 10_000);
      const object = opened.data.object as object;
      await stripe.deliver(opened);
      if (status !== 'needs_response') {
        const closed = { object: { ...object, status } };
        await stripe.deliver({ ...opened, id: unique('evt'), type: 'charge.dispute.closed', data: closed });
      }
      return (await app.call('GET', `/api/sales?customerExternalId=${user}`)).body.data[0].id;
    };
    const refunded = await sell(app, own);
    await app.call('POST', `/api/sales/${refunded}/refunds`, { body: { refundId: unique('re'), amount: 2500 } });
    const open = await disputed('needs_response');
    const lost = await disputed('lost');
    const won = await disputed('won');
    const sales = await dataOf('sales', await tokenOf(own.partnerId));
    const reasons = Object.fromEntries(
      sales.map((sale: Record<string, unknown>) => [sale.id, [sale.reversalReason, sale.reversedCommissionAmount]]),
    );
    expect(reasons).toEqual({
      [refunded]: ['refund', 500],
      [open]: ['dispute', 0],
      [lost]: ['chargeback', 2000],
      [won]: [null, 0],
    });
  });

  it('offers every list page by page', async () => {
    const [own, key] = await newPartner();
    const sales = [await sell(app, own), await sell(app, own), await sell(app, own)];
    const first = (await get('sales?limit=2', key)).body;
    const second = (await get(`sales?limit=2&cursor=${first.nextCursor}`, key)).body;
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(sales.toReversed());
    expect(second.nextCursor).toBeNull();
    const body = { partnerId: own.partnerId, url: 'https://shop.example.com/second' };
    const link = (await app.call('POST', '/api/links', { body })).body;
    const links = (await get('links?limit=1', key)).body;
    expect(links.data).toMatchObject([{ id: link.id, shortLink: link.shortLink, url: body.url }]);
    expect((await get(`links?cursor=${links.nextCursor}`, key)).body.data).toMatchObject([{ id: own.linkId }]);
    for (const wrong of ['sales?limit=0', 'statistics?interval=week', 'statistics?from=2024-01-01&to=2026-01-01']) {
      expect(await get(wrong, key), wrong).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION_ERROR' } },
      });
    }
  });

  it("never includes anything of another partner's", async () => {
    const other = await createReferrer(app);
    await sell(app, other);
    now += 31 * DAY_MS;
    await runPayouts(app);
    const key = await tokenOf(other.partnerId);
    const payout = (await dataOf('payouts', key))[0].id;
    const mine = await createReferrer(app);
    const ours = await tokenOf(mine.partnerId);
    for (const part of ['earnings', 'sales', 'payouts']) expect(await dataOf(part, ours), part).toEqual([]);
    expect((await dataOf('links', ours)).map(({ id }: { id: string }) => id)).toEqual([mine.linkId]);
    expect((await get('statistics', ours)).body.totals.sales).toBe(0);
    expect((await get(`payouts/${payout}/statement`, key)).status).toBe(200);
    expect((await get(`payouts/${payout}/statement`, ours)).status).toBe(404);
  });

  it('may be read by a page on a listed origin and by no other, with an embed token only', async () => {
    for (const part of PARTS) {
      const listed = await get(part, token, { origin: LISTED });
      expect([listed.status, listed.headers.get('access-control-allow-origin')], part).toEqual([200, LISTED]);
      expect(listed.headers.get('cache-control')).toBe('private, no-store');
      expect(listed.headers.get('access-control-expose-headers')).toBe('Retry-After');
      const refused = await get(part, token, { origin: 'https://evil.example.com' });
      expect(refused, part).toMatchObject({ status: 403, body: { error: { code: 'ORIGIN_NOT_ALLOWED' } } });
      for (const key of [app.apiKey, null]) expect((await get(part, key)).status, part).toBe(401);
    }
  });

  it('omits what the program hides', async () => {
    const hidden: Record<string, string[]> = {
      showReferralLink: ['links'],
      showStats: ['statistics'],
      showEarnings: ['earnings', 'sales'],
      showPayoutHistory: ['payouts', 'payouts/pay_x/statement'],
    };
    for (const [part, paths] of Object.entries(hidden)) {
      await change({ portal: { [part]: false } });
      for (const path of paths) {
        const answer = await get(path);
        expect(answer, path).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
        expect(answer.body.error.message).toContain(`${part} is off`);
      }
      const others = PARTS.filter((path) => !paths.includes(path));
      for (const path of others) expect((await get(path)).status, path).toBe(200);
      if (part === 'showStats') expect((await dataOf('links'))[0]).toMatchObject({ clicks: null, sales: null });
      if (part === 'showEarnings') {
        expect((await dataOf('links'))[0].earnedCommission).toBeNull();
        expect((await get('statistics')).body.totals).toMatchObject({
          clicks: 0,
          revenue: null,
          earnedCommission: null,
        });
      }
      await change({ portal: { [part]: true } });
    }
  });
});
