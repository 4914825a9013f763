import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { runPayouts, sell } from '../helpers/earning.ts';
import { expectError } from '../helpers/expect-error.ts';
import { cookieOf } from '../helpers/operators.ts';
import { createReferrer } from '../helpers/story.ts';
import { placesOf } from '../privacy/places-of.ts';

const IBAN = 'DE89370400440532013000';
const SEPA = { rail: 'sepa', name: 'Ana Alvarez', iban: IBAN };
const MASKED = { rail: 'sepa', name: 'Ana Alvarez', iban: 'DE…3000', bic: null };

describe.each(engines)('how a partner is paid, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const newPartner = async () => (await createReferrer(app)).partnerId;
  const put = (id: string, body: object, key?: string) =>
    app.call('PUT', `/api/partners/${id}/payout-details`, { body, ...(key && { key }) });
  const inPortal = (method: string, key: string, body?: object, origin?: string) =>
    app.call(method, '/api/embed/referrals/payout-details', { key, body, headers: origin ? { origin } : {} });
  /** What the audit log says about changes of a partner's details: the actor and the changes, newest first. */
  const logged = async (id: string) => {
    const rows = await app.service.database.read((tx) =>
      tx.all<{ actorId: string; changes: string }>(
        `SELECT actor_id AS "actorId", changes FROM audit_log
         WHERE account_id = @accountId AND resource_id = @id AND action = 'partner.set_payout_details'`,
        { accountId: app.accountId, id },
      ),
    );
    return rows.map(({ actorId, changes }) => ({ actorId, changes: JSON.parse(changes) }));
  };
  const problemsOf = ({ body }: Answer): Record<string, string> =>
    Object.fromEntries(body.error.details.map(({ path, message }: Record<string, string>) => [path, message]));
  const tokenOf = async (enrollmentId: string): Promise<string> =>
    (await app.call('POST', '/api/embed/token', { body: { enrollmentId } })).body.publicToken;

  it('is stored sealed, answered masked, and noted in the audit log without values', async () => {
    const id = await newPartner();
    const answer = await put(id, SEPA);
    expect([answer.status, answer.body.payoutDetails], answer.text).toEqual([200, MASKED]);
    expect((await app.call('GET', `/api/partners/${id}`)).body.payoutDetails).toEqual(MASKED);
    expect(await placesOf(app.service.database, IBAN)).toEqual([]);
    expect(await logged(id)).toEqual([
      { actorId: expect.stringMatching(/^key_/), changes: { payoutDetails: { before: 'hidden', after: 'hidden' } } },
    ]);
    const other = await put(id, { rail: 'paypal', email: 'ana@example.com' });
    expect(other.body.payoutDetails).toEqual({ rail: 'paypal', email: 'a…@example.com' });
  });

  it('bad details are refused with an error for each, and change nothing', async () => {
    const id = await newPartner();
    await put(id, SEPA);
    const wrong = { ...SEPA, iban: IBAN.replace('3000', '3001'), bic: 'X', name: 'Ána' };
    expect(Object.keys(problemsOf(await put(id, wrong))).sort()).toEqual(['bic', 'iban', 'name']);
    expect(problemsOf(await put(id, { rail: 'cash' })).rail).toContain('paypal, wise, sepa');
    expect(problemsOf(await put(id, { ...SEPA, ibam: IBAN })).ibam).toContain('iban');
    expect((await app.call('GET', `/api/partners/${id}`)).body.payoutDetails).toEqual(MASKED);
    const { apiKey } = await app.addAccount('Other');
    expectError(await put(id, SEPA, apiKey), 404, 'NOT_FOUND');
  });

  it('partners set their own in the portal, and the audit log names them', async () => {
    const id = await newPartner();
    const token = await tokenOf(id);
    expect((await inPortal('GET', token)).body).toEqual({ payoutDetails: null, transferRails: [] });
    const answer = await inPortal('PUT', token, SEPA);
    expect([answer.status, answer.body], answer.text).toEqual([200, { payoutDetails: MASKED, transferRails: [] }]);
    expect((await inPortal('GET', token)).body).toEqual({ payoutDetails: MASKED, transferRails: [] });
    expect(await logged(id)).toEqual([
      { actorId: id, changes: { payoutDetails: { before: 'hidden', after: 'hidden' } } },
    ]);
    expectError(await inPortal('PUT', token, SEPA, 'https://evil.example'), 403, 'ORIGIN_NOT_ALLOWED');
    expectError(await inPortal('PUT', 'ref_nobody', SEPA), 401, 'UNAUTHORIZED');
  });

  it('the audit log says which key issued the token that they were changed with', async () => {
    const id = await newPartner();
    const { key, id: keyId } = (await app.call('POST', '/api/api-keys', { body: { name: 'Shop', scope: 'track' } }))
      .body;
    const issue = async (path: string, body: object): Promise<string> =>
      (await app.call('POST', path, { key, body })).body.publicToken;
    const tokens = [
      await issue('/api/embed/token', { enrollmentId: id }),
      await issue('/compat/dub/tokens/embed/referrals', { partnerId: id }),
    ];
    for (const token of tokens) expect((await inPortal('PUT', token, SEPA)).status).toBe(200);
    const { url } = (await app.call('POST', `/api/partners/${id}/portal-link`)).body;
    const code = new URL(url).hash.replace('#code=', '');
    const opened = await app.call('POST', '/api/embed/session', { key: null, body: { code } });
    const headers = { cookie: cookieOf(opened), 'sec-fetch-site': 'same-origin' };
    const changed = await app.call('PUT', '/api/embed/referrals/payout-details', { key: null, headers, body: SEPA });
    expect([opened.status, changed.status], changed.text).toEqual([200, 200]);
    const { name } = (await app.call('GET', `/api/partners/${id}`)).body;
    const rows = await app.service.database.read((tx) =>
      tx.all('SELECT actor_id AS actor, actor_name AS name FROM audit_log WHERE resource_id = @id ORDER BY id', { id }),
    );
    const byToken = { actor: id, name: `${name}, embed token of ${keyId}` };
    expect(rows.slice(-4)).toEqual([byToken, byToken, expect.anything(), { actor: id, name }]);
  });

  it('a page of the company may send them, and a hidden section accepts none', async () => {
    const origin = 'https://app.example.com';
    const token = await tokenOf(await newPartner());
    const change = (portal: object) => app.call('PATCH', `/api/programs/${app.programId}`, { body: { portal } });
    await change({ allowedOrigins: [origin], showPayoutHistory: false });
    const preflight = await app.call('OPTIONS', '/api/embed/referrals/payout-details', {
      key: null,
      headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type');
    expectError(await inPortal('PUT', token, SEPA, origin), 404, 'NOT_FOUND');
    await change({ showPayoutHistory: true });
    expect((await inPortal('PUT', token, SEPA, origin)).status).toBe(200);
    await change({ allowedOrigins: [] });
  });

  it('is erased with the partner, and not while money is owed or on its way', async () => {
    const referrer = await createReferrer(app);
    const id = referrer.partnerId;
    const { payoutDetails } = (await put(id, SEPA)).body;
    expect((await app.call('GET', `/api/partners/${id}/personal-data`)).body).toMatchObject({ id, payoutDetails });
    await sell(app, referrer);
    expectError(await app.call('DELETE', `/api/partners/${id}/personal-data`), 409, 'INVALID_STATE');
    const [payout] = (await runPayouts(app, { at: '2099-01-01' })).body.data;
    // a debt of the same amount does not hide what is on its way
    const adjust = (amount: number) =>
      app.call('POST', '/api/adjustments', { body: { partnerId: id, amount, currency: 'usd', reason: 'Test' } });
    await adjust(-payout.amount);
    const underWay = await app.call('DELETE', `/api/partners/${id}/personal-data`);
    expectError(underWay, 409, 'INVALID_STATE');
    expect(underWay.body.error.message).toContain('20.00 USD is on its way');
    await adjust(payout.amount);
    await app.call('POST', `/api/payouts/${payout.id}/paid`, { body: {} });
    expect((await app.call('DELETE', `/api/partners/${id}/personal-data`)).status).toBe(204);
    expect((await app.call('GET', `/api/partners/${id}`)).body.payoutDetails).toBeNull();
    const row = await app.service.database.read((tx) =>
      tx.get<{ sealed: Buffer | null }>('SELECT sealed_payout_details AS sealed FROM partners WHERE id = @id', { id }),
    );
    expect(row).toEqual({ sealed: null });
  });

  it('is not erased while the next run would pay what only a debt on hold makes up for', async () => {
    const referrer = await createReferrer(app);
    const id = referrer.partnerId;
    const saleId = await sell(app, referrer);
    const [{ id: payoutId, amount }] = (await runPayouts(app, { at: '2099-01-01' })).body.data;
    await app.call('POST', `/api/payouts/${payoutId}/paid`, { body: {} });
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: 'R-1', amount: 10_000 } });
    const settled = { partnerId: id, amount, currency: 'usd', reason: 'Test' };
    await app.call('POST', '/api/adjustments', { body: settled });
    const refused = await app.call('DELETE', `/api/partners/${id}/personal-data`);
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toContain('20.00 USD is due');
    expect((await runPayouts(app)).body.data).toMatchObject([{ partnerId: id, amount }]);
  });
});
