import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createOperator } from '../helpers/operators.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR_MS = 3_600_000;

describe.each(engines)('an embed token on %s', (engine) => {
  let app: TestApp;
  let now = NOW;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  const issue = (body: object, key = app.apiKey) => app.call('POST', '/api/embed/token', { body, key });
  const partners = async (key = app.apiKey) => (await app.call('GET', '/api/partners?limit=100', { key })).body.data;
  const tokenFor = async (email: string): Promise<string> => (await issue({ partner: { email } })).body.publicToken;

  it('for an unknown address creates the partner, who is found again later', async () => {
    const before = (await partners()).length;
    const { status, body, headers } = await issue({ tenantId: 'team-1', partner: { email: 'Ada.L@Example.com' } });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      publicToken: expect.stringMatching(/^rb_embed_[0-9A-Za-z]{36}$/),
      expires: new Date(now + HOUR_MS).toISOString(),
    });
    const all = await partners();
    expect(all).toHaveLength(before + 1);
    expect(all[0]).toMatchObject({ name: 'ada.l', email: 'ada.l@example.com', tenantId: 'team-1', status: 'active' });
    for (const known of [
      { tenantId: 'team-1' },
      { enrollmentId: all[0].id },
      { partner: { email: 'ADA.L@example.com', name: 'Ignored' } },
      { tenantId: 'team-1', partner: { email: 'other-address@example.com' } },
    ]) {
      expect((await issue(known)).status, JSON.stringify(known)).toBe(200);
    }
    expect(await partners()).toEqual(all);
  });

  it('uses the given name', async () => {
    await issue({ partner: { email: 'named@example.com', name: 'Grace Hopper' } });
    expect((await partners())[0]).toMatchObject({ name: 'Grace Hopper', tenantId: null });
  });

  it('gives a known partner the missing tenant id, but never replaces one', async () => {
    await issue({ partner: { email: 'late-tenant@example.com' } });
    expect((await issue({ tenantId: 'team-2', partner: { email: 'late-tenant@example.com' } })).status).toBe(200);
    expect((await partners())[0]).toMatchObject({ email: 'late-tenant@example.com', tenantId: 'team-2' });
    const other = await issue({ tenantId: 'team-3', partner: { email: 'late-tenant@example.com' } });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  });

  it('notes in the audit log which tenant id an address was given, and by whom', async () => {
    await issue({ partner: { email: 'noted@example.com' } });
    const [{ id }] = await partners();
    const owner = await createOperator(app);
    const entries = async () =>
      (await owner.call('GET', `/api/audit-log?resourceId=${id}&action=partner.enroll`)).body.data;
    expect(await entries()).toHaveLength(1);
    for (const tenantId of ['team-4', 'team-4', 'team-5'])
      await issue({ tenantId, partner: { email: 'noted@example.com' } });
    const [latest, ...others] = await entries();
    expect(others).toHaveLength(1);
    expect(latest).toMatchObject({
      actor: { type: 'api_key' },
      action: 'partner.enroll',
      resourceId: id,
      changes: { tenantId: { before: null, after: 'team-4' } },
    });
  });

  it('gives one of two tenants at once the partner with an address, and refuses the other', async () => {
    await issue({ partner: { email: 'wanted@example.com' } });
    const tenantIds = ['team-6', 'team-7', 'team-8'];
    const answers = await Promise.all(
      tenantIds.map((tenantId) => issue({ tenantId, partner: { email: 'wanted@example.com' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [first] = await partners();
    expect(first.tenantId).toBe(tenantIds[answers.findIndex(({ status }) => status === 200)]);
  });

  it.each([{ tenantId: 'nobody' }, { enrollmentId: 'ptr_nobody' }, { enrollmentId: 'ptr_nobody', tenantId: 'team-1' }])(
    'for %j is refused, because nobody is found',
    async (body) => {
      expect(await issue(body)).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    },
  );

  it('for a tenantId that nobody has says what enrolls them, which then works', async () => {
    const refused = await issue({ tenantId: 'team-new' });
    expect(refused.body.error.message).toMatch(/"team-new" in this account: .* send their partner\.email as well$/);
    const enrolled = await issue({ tenantId: 'team-new', partner: { email: 'new@example.com' } });
    expect(enrolled.status).toBe(200);
  });

  it.each([
    [{}, 'at least one of tenantId, enrollmentId and partner'],
    [{ tenantId: null, partner: null }, 'at least one of tenantId, enrollmentId and partner'],
    [{ partner: { name: 'Ada' } }, 'partner.email: is required'],
    [{ partner: { email: 'x' } }, 'partner.email: must be an e-mail address'],
    [{ tenantId: 'team-1', expiresIn: 86_401 }, 'expiresIn: must be a whole number from 1 to 86400'],
    [{ tenantId: 'team-1', expiresIn: 0 }, 'expiresIn: must be a whole number'],
  ])('for %j is refused', async (body, problem) => {
    const answer = await issue(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.body.error.message).toContain(problem);
  });

  it('is issued ten times for ten concurrent requests for one unknown partner, who is created once', async () => {
    const { apiKey: key } = await app.addAccount('Racing Ltd');
    const body = { tenantId: 'fast', partner: { email: 'fast@example.com' } };
    const answers = await Promise.all(Array.from({ length: 10 }, () => issue(body, key)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(answers.map((answer) => answer.body.publicToken))).toHaveLength(10);
    expect(await partners(key)).toHaveLength(1);
  });

  it('is for the named program, when there are several', async () => {
    const { apiKey: key, programId } = await app.addAccount('Several Ltd');
    const second = (await app.call('POST', '/api/programs', { key, body: { name: 'Second' } })).body.id;
    const partner = { email: 'ada@example.com' };
    expect((await issue({ partner }, key)).body.error.message).toContain(second);
    const { body } = await issue({ partner, programId: second }, key);
    expect(
      (await app.call('GET', '/api/embed/referrals/portal-config', { key: body.publicToken })).body.programName,
    ).toBe('Second');
    const [{ id: enrollmentId }] = await partners(key);
    expect((await issue({ enrollmentId }, key)).status).toBe(200);
    expect((await issue({ enrollmentId, programId }, key)).status).toBe(404);
  });

  it('is not issued for a partner or program of another account', async () => {
    const { apiKey: key } = await app.addAccount('Other Ltd');
    const [{ id: enrollmentId }] = await partners();
    expect((await issue({ enrollmentId }, key)).status).toBe(404);
    expect((await issue({ tenantId: 'team-1' }, key)).status).toBe(404);
    expect((await issue({ partner: { email: 'x@example.com' }, programId: app.programId }, key)).status).toBe(404);
  });

  it('is stored only as a hash, and deleted some time after it expired', async () => {
    const token = await tokenFor('kept@example.com');
    const hashes = () =>
      app.service.database.read((tx) =>
        tx.all<{ hash: string }>('SELECT hash FROM embed_tokens WHERE expires_at <= @now', { now }),
      );
    const all = await app.service.database.read((tx) => tx.all('SELECT * FROM embed_tokens'));
    expect(JSON.stringify(all)).not.toContain(token.slice(9));
    now += 2 * HOUR_MS;
    const expired = (await hashes()).length;
    expect(expired).toBeGreaterThan(0);
    for (let left = expired; left > 0; left -= 20) await tokenFor('kept@example.com');
    expect(await hashes()).toEqual([]);
  });
});
