import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRoutes } from '../../src/http/routes.ts';
import { type Answer, call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { runPayouts } from '../helpers/earning.ts';
import { hashTables } from '../helpers/end-state.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

/** Bodies that would have an effect if the id were the caller's own. */
const NO_FILE_YET = { source: 'csv', settings: { kind: 'partners', fileBytes: 10 } };
const BODIES: Record<string, unknown> = {
  'POST /api/event-endpoints/:id/resend': { since: '2026-01-01' },
  'PUT /api/partners/:id/payout-details': { rail: 'paypal', email: 'thief@example.com' },
  'POST /api/partners/:id/payout-onboarding': { rail: 'stripe', country: 'DE' },
  'POST /api/payouts/files/:id/results': { results: [{ id: 'pay_1', status: 'paid' }] },
  'PATCH /api/programs/:id': { name: 'Taken over' },
  'PATCH /api/partners/:id': { name: 'Taken over' },
  'PATCH /api/links/:id': { url: 'https://elsewhere.example.com/' },
  'PATCH /api/webhook-endpoints/:id': { secrets: ['whsec_taken_over_by_somebody'] },
  'PATCH /api/api-keys/:id': { name: 'Taken over' },
  'POST /api/parked-payments/:id/attribute': { partnerId: 'theirs' },
  'POST /api/sales/:id/refunds': { refundId: 're_taken', amount: 1 },
  'POST /api/webhook-endpoints/:id/reconcile': { since: '2026-01-01' },
  'POST /api/sales/:id/reject': { reason: 'taken over' },
};

describe.each(engines)('what one account owns cannot be reached by another, on %s', (engine) => {
  let app: TestApp;
  let other: TestApp;
  let theirs: Referrer;
  let own: Referrer;
  let customer: string;
  /** The year in which the first account paid its partner. */
  let paidIn: string;
  /** Ids of the first account, by the resource in the path. */
  let ids: Record<string, string>;

  beforeAll(async () => {
    app = await createTestApp(engine);
    const account = await app.addAccount('Other Example Ltd');
    // two accounts cannot have links on the same domain
    const url = app.url.replace('127.0.0.1', 'localhost');
    other = {
      ...app,
      ...account,
      url,
      call: (method, path, options = {}) => call(url + path, method, { key: account.apiKey, ...options }),
    };
    theirs = await createReferrer(app);
    own = await createReferrer(other);
    const stripe = await createEndpoint(app, 'stripe', { accessToken: 'rk_test_example' });
    customer = unique('user');
    await theirs.lead(customer);
    expect((await stripe.deliver(checkoutCompleted({ externalId: customer }))).body.outcome).toBe('sale');
    expect((await stripe.deliver(checkoutCompleted({}))).body.outcome).toBe('unattributed');
    const firstOf = async (path: string) => (await app.call('GET', path)).body.data[0].id as string;
    const ours = { url: 'https://example.com/events' };
    const eventEndpoint = (await app.call('POST', '/api/event-endpoints', { body: ours })).body.id;
    ids = {
      'event-endpoints': eventEndpoint,
      events: (await app.call('POST', `/api/event-endpoints/${eventEndpoint}/test`)).body.id,
      'event-listeners': (await app.call('POST', '/api/event-listeners')).body.id,
      exports: (await app.call('POST', '/api/exports', { body: {} })).body.id,
      imports: (await app.call('POST', '/api/imports', { body: NO_FILE_YET })).body.id,
      programs: app.programId,
      partners: theirs.partnerId,
      links: theirs.linkId,
      'webhook-endpoints': stripe.id,
      reconciliations: (
        await app.call('POST', `/api/webhook-endpoints/${stripe.id}/reconcile`, { body: { since: '2026-01-01' } })
      ).body.id,
      'api-keys': await firstOf('/api/api-keys'),
      sales: await firstOf('/api/sales'),
      customers: customer,
      deliveries: await firstOf('/api/deliveries'),
      'parked-payments': await firstOf('/api/parked-payments'),
      payouts: await firstOf('/api/payouts'),
    };
    await runPayouts(app, { at: '2099-12-31' });
    paidIn = (await app.call('POST', `/api/payouts/${ids.payouts}/paid`)).body.paidAt.slice(0, 4);
    expect((await app.call('GET', `/api/payouts/totals?year=${paidIn}`)).body.data).toHaveLength(1);
  });
  afterAll(() => app.close());

  /** Every declared route that takes an API key. */
  const routes = () =>
    createRoutes()
      .filter(({ credential }) => credential === 'api-key' || credential === 'api-key-only')
      .map(({ method, path }) => ({ method, pattern: path }));
  const allIds = () => Object.values(ids);
  /** Includes the account's configuration, which `hashTables` omits. */
  async function everythingOfTheirs(): Promise<unknown> {
    const set = ['programs', 'partners', 'links', 'webhook-endpoints', 'api-keys'];
    const lists = await Promise.all(set.map((path) => app.call('GET', `/api/${path}`)));
    const shown = lists.map(({ body }) => body.data.map((row: object) => ({ ...row, lastUsedAt: null })));
    return { shown, hashes: await hashTables(app.service.database) };
  }
  function expectNothingTold(answer: Answer, where: string): void {
    for (const id of allIds().filter((value) => value !== customer)) {
      expect(answer.body?.data ?? [], where).not.toContainEqual(expect.objectContaining({ id }));
    }
  }

  it('answers 404 to every method of every path with an id of theirs, and changes nothing', async () => {
    const before = await everythingOfTheirs();
    // the name of a rail is everybody's: test/payouts/transfers/connections.test.ts tells whose connection it is
    const withId = routes().filter(({ pattern }) => pattern.includes(':') && !pattern.includes(':rail'));
    expect(withId.length).toBeGreaterThan(15);
    for (const { method, pattern } of withId) {
      const [, , resource = ''] = pattern.split('/');
      const id = ids[resource];
      if (id === undefined) throw new Error(`${pattern}: name an id of this resource here`);
      const path = pattern.replace(/:[^/]+/, id);
      const body = method === 'GET' || method === 'DELETE' ? undefined : (BODIES[`${method} ${pattern}`] ?? {});
      const answer = await other.call(method, path, body === undefined ? {} : { body });
      expect([method, pattern, answer.status, answer.body?.error?.code]).toEqual([method, pattern, 404, 'NOT_FOUND']);
    }
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it('lists nothing of theirs, whatever the filters name', async () => {
    const lists = routes().filter(
      // a stream does not end; its own test follows it from another account
      ({ method, pattern }) => method === 'GET' && !pattern.includes(':') && !pattern.endsWith('/stream'),
    );
    expect(lists.length).toBeGreaterThan(8);
    for (const { pattern } of lists) expectNothingTold(await other.call('GET', pattern), pattern);
    const filtered = [
      `/api/sales?partnerId=${ids.partners}`,
      `/api/sales?customerExternalId=${customer}`,
      `/api/sales?linkId=${ids.links}`,
      `/api/sales?search=${customer}`,
      `/api/sales?programId=${ids.programs}&from=2020-01-01`,
      `/api/customers?search=${customer}`,
      `/api/partners?programId=${ids.programs}`,
      `/api/links?partnerId=${ids.partners}`,
      `/api/leads?linkId=${ids.links}`,
      `/api/leads?partnerId=${ids.partners}`,
      `/api/leads?customerExternalId=${customer}`,
      `/api/ledger?partnerId=${ids.partners}`,
      `/api/ledger?saleId=${ids.sales}`,
      `/api/payouts?partnerId=${ids.partners}`,
      `/api/payouts/totals?year=${paidIn}&partnerId=${ids.partners}`,
      `/api/deliveries?endpointId=${ids['webhook-endpoints']}`,
      `/api/reconciliations?endpointId=${ids['webhook-endpoints']}`,
    ];
    for (const path of filtered) {
      const answer = await other.call('GET', path);
      expect([path, answer.status, answer.body.data]).toEqual([path, 200, []]);
    }
  });

  it('refuses bodies that name something of theirs', async () => {
    const clickId = await theirs.click();
    const email = `${unique('partner')}@example.com`;
    const { programs: programId, partners: partnerId } = ids;
    const refused: [string, object, number][] = [
      ['/api/track/lead', { clickId, eventName: 'Sign up', customerExternalId: 'user' }, 400],
      ['/api/track/sale', { clickId, customerExternalId: 'user', amount: 100 }, 400],
      ['/api/partners', { programId, name: 'Paul', email }, 404],
      ['/api/links', { partnerId, url: 'https://shop.example.com/' }, 404],
      ['/api/links', { partnerId: own.partnerId, programId, url: 'https://shop.example.com/' }, 400],
      ['/api/webhook-endpoints', { processor: 'stripe', programId }, 404],
      ['/api/embed/token', { enrollmentId: partnerId }, 404],
    ];
    const before = await everythingOfTheirs();
    for (const [path, body, status] of refused) {
      const answer = await other.call('POST', path, { body });
      expect([path, answer.status]).toEqual([path, status]);
    }
    expect(await everythingOfTheirs()).toEqual(before);
  });

  it('attributes no payment of its own to a partner, click or customer of theirs', async () => {
    const stripe = await createEndpoint(other, 'stripe');
    expect((await stripe.deliver(checkoutCompleted({ externalId: customer }))).body.outcome).toBe('unattributed');
    const parked = (await other.call('GET', '/api/parked-payments')).body.data[0].id;
    const attempts: [object, number][] = [
      [{ partnerId: ids.partners }, 404],
      [{ customerExternalId: customer }, 404],
      [{ clickId: await theirs.click() }, 400],
    ];
    for (const [body, status] of attempts) {
      const answer = await other.call('POST', `/api/parked-payments/${parked}/attribute`, { body });
      expect(answer.status).toBe(status);
    }
    expect((await app.call('GET', `/api/sales?customerExternalId=${customer}`)).body.data).toHaveLength(1);
  });

  it('counts the same invoice and the same customer id in both accounts', async () => {
    const invoiceId = unique('inv');
    for (const [account, referrer] of [[app, theirs] as const, [other, own] as const]) {
      const body = { clickId: await referrer.click(), customerExternalId: 'shared', amount: 100, invoiceId };
      expect((await account.call('POST', '/api/track/sale', { body })).status).toBe(200);
      const { body: list } = await account.call('GET', `/api/sales?invoiceId=${invoiceId}`);
      expect(list.data).toEqual([expect.objectContaining({ partnerId: referrer.partnerId })]);
    }
  });
});
