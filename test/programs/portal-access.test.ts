import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { cookieOf, createOperator, freshAddress } from '../helpers/operators.ts';
import { unique } from '../helpers/story.ts';

const DAY_MS = 86_400_000;
const NOTHING = { links: 0, sessions: 0, embedTokens: 0 };
const DETAILS = { rail: 'paypal', email: 'ana@example.com' };

describe.each(engines)('the end of the access to a portal, on %s', (engine) => {
  let app: TestApp;
  let now = Date.UTC(2026, 5, 1);
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1, service: { clock: () => now } });
  });
  afterAll(() => app.close());

  const newPartner = async (): Promise<string> => {
    const body = { name: 'Ana', email: `${unique('ana')}@example.com` };
    return (await app.call('POST', '/api/partners', { body })).body.id;
  };
  const newCode = async (id: string) => {
    const { url } = (await app.call('POST', `/api/partners/${id}/portal-link`)).body;
    return new URL(url).hash.replace('#code=', '');
  };
  const open = (code: string) =>
    app.call('POST', '/api/embed/session', { key: null, body: { code }, headers: freshAddress() });
  const newSession = async (id: string) => ({ cookie: cookieOf(await open(await newCode(id))) });
  const newToken = async (id: string) => {
    const { publicToken } = (await app.call('POST', '/api/embed/token', { body: { enrollmentId: id } })).body;
    return { authorization: `Bearer ${publicToken}` };
  };
  const end = (id: string) => app.call('DELETE', `/api/partners/${id}/portal-access`);
  const read = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/embed/referrals/payout-details', { key: null, headers })).status;
  const pay = (headers: Record<string, string>) =>
    app.call('PUT', '/api/embed/referrals/payout-details', {
      key: null,
      body: DETAILS,
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    });

  it('is that of every link, session and token of this partner, and of nobody else; a new link works', async () => {
    const [ana, ben] = [await newPartner(), await newPartner()];
    await newCode(ana);
    await newSession(ana);
    now += 7 * DAY_MS;
    const code = await newCode(ana);
    const ways = [await newSession(ana), await newToken(ana), await newToken(ana)];
    const others = [await newSession(ben), await newToken(ben)];
    const code2 = await newCode(ben);
    const answer = await end(ana);
    expect([answer.status, answer.body]).toEqual([200, { links: 1, sessions: 2, embedTokens: 2 }]);
    expect((await open(code)).status).toBe(401);
    for (const way of ways) expect([await read(way), (await pay(way)).status]).toEqual([401, 401]);
    expect((await end(ana)).body).toEqual(NOTHING);
    for (const way of others) expect(await read(way)).toBe(200);
    expect((await open(code2)).status).toBe(200);
    expect(await read(await newSession(ana))).toBe(200);
  });

  it('needs a key that may change something, or a member, of this account', async () => {
    const id = await newPartner();
    const path = `/api/partners/${id}/portal-access`;
    const session = await newSession(id);
    const { key } = (await app.call('POST', '/api/api-keys', { body: { name: 'Reads', scope: 'read' } })).body;
    const { apiKey } = await app.addAccount('Other Ltd');
    expect((await app.call('DELETE', path, { key })).status).toBe(403);
    expect((await app.call('DELETE', path, { key: apiKey })).status).toBe(404);
    expect((await (await createOperator(app, 'viewer')).call('DELETE', path)).status).toBe(403);
    expect(await read(session)).toBe(200);
    expect((await (await createOperator(app, 'member')).call('DELETE', path)).body).toEqual({
      ...NOTHING,
      sessions: 1,
    });
    const { data } = await (await createOperator(app))
      .call('GET', `/api/audit-log?resourceId=${id}`)
      .then((log) => log.body);
    expect(data[0]).toMatchObject({
      action: 'partner.end_portal_access',
      changes: { sessions: { before: 1, after: 0 } },
    });
  });

  it('leaves no session to a link that is opened at the same moment', async () => {
    const id = await newPartner();
    for (let round = 0; round < 20; round += 1) {
      const code = await newCode(id);
      const both = [() => open(code), () => end(id)];
      const answers = await Promise.all((round % 2 === 0 ? both : both.reverse()).map((start) => start()));
      const opened = answers.find(({ headers }) => headers.getSetCookie().length > 0);
      if (opened !== undefined) expect(await read({ cookie: cookieOf(opened) })).toBe(401);
      expect((await end(id)).body).toEqual(NOTHING);
    }
  });

  it('comes before a change that was on its way', async () => {
    const id = await newPartner();
    for (const way of [await newSession(id), await newToken(id)]) {
      const { database } = app.service;
      const { write } = database;
      database.write = async (...unit) => {
        database.write = write;
        await end(id);
        return write(...unit);
      };
      const answer = await pay(way);
      expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
      expect((await app.call('GET', `/api/partners/${id}`)).body.payoutDetails).toBeNull();
    }
  });

  it.each([
    ['POST', 'archive', 200],
    ['DELETE', '', 401],
    ['DELETE', 'personal-data', 401],
  ] as const)(
    'comes with erasing or deleting the partner, and not with archiving: %s %s',
    async (method, what, status) => {
      const id = await newPartner();
      const ways = [await newSession(id), await newToken(id)];
      const code = await newCode(id);
      expect((await app.call(method, `/api/partners/${id}/${what}`)).status).toBeLessThan(300);
      for (const way of ways) expect(await read(way)).toBe(status);
      expect((await open(code)).status).toBe(status);
    },
  );
});
