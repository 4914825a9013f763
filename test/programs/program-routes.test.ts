import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const NEW_PROGRAM = {
  archivedAt: null,
  description: '',
  commission: { type: 'percentage', rateBasisPoints: 2000 },
  durationMonths: null,
  holdDays: 30,
  minimumPayout: {},
  amountBasis: 'net',
  emailMatching: false,
  selfReferral: 'off',
  trackedHosts: [],
  clickParameters: ['svc_id'],
  viaParameters: ['via'],
  defaultUrl: null,
  deadLinkUrl: null,
  portal: {
    allowedOrigins: [],
    showBranding: true,
    showEarnings: true,
    showPayoutHistory: true,
    showReferralLink: true,
    showStats: true,
    theme: { title: null, description: null, fontFamily: null, logoUrl: null, shadcnTheme: { light: {}, dark: {} } },
  },
};

describe.each(engines)('programs on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const create = async (body: object) => (await app.call('POST', '/api/programs', { body })).body;

  it('an account starts with one program with all defaults', async () => {
    const { status, body } = await app.call('GET', `/api/programs/${app.programId}`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...NEW_PROGRAM, id: app.programId, name: expect.any(String) });
  });

  it('a program with only a name has the same defaults', async () => {
    const { status, body } = await app.call('POST', '/api/programs', { body: { name: '  Friends  ' } });
    expect(status).toBe(201);
    expect(body).toEqual({ ...NEW_PROGRAM, id: expect.stringMatching(/^prg_[0-9a-f]{32}$/), name: 'Friends' });
  });

  it('all given values are returned, at once and later', async () => {
    const body = {
      name: 'Agencies',
      description: 'Two lines\nof text',
      commission: { type: 'flat', amounts: { USD: 500, eur: 450 } },
      durationMonths: 12,
      holdDays: 0,
      minimumPayout: { usd: 5000 },
      amountBasis: 'gross',
      emailMatching: true,
      selfReferral: 'refuse',
      trackedHosts: ['Shop.Example.com', 'shop.example.com', 'localhost:3000'],
      clickParameters: ['svc_id', 'dub_id'],
      viaParameters: ['ref', 'fpr'],
      defaultUrl: 'https://shop.example.com/start',
      deadLinkUrl: 'https://shop.example.com/partners',
      portal: { ...NEW_PROGRAM.portal, allowedOrigins: ['https://app.example.com'], showStats: false },
    };
    const created = await create(body);
    expect(created).toEqual({
      ...body,
      archivedAt: null,
      id: created.id,
      commission: { type: 'flat', amounts: { usd: 500, eur: 450 } },
      trackedHosts: ['shop.example.com', 'localhost:3000'],
    });
    expect((await app.call('GET', `/api/programs/${created.id}`)).body).toEqual(created);
  });

  it('a change keeps members that it does not name, and null restores a default', async () => {
    const created = await create({ name: 'Before', holdDays: 7, durationMonths: 3, description: 'Text' });
    const path = `/api/programs/${created.id}`;
    const named = await app.call('PATCH', path, { body: { name: 'After' } });
    expect(named).toMatchObject({ status: 200, body: { ...created, name: 'After' } });
    const reset = await app.call('PATCH', path, { body: { holdDays: null, durationMonths: null, description: null } });
    expect(reset.body).toEqual({ ...NEW_PROGRAM, id: created.id, name: 'After' });
    expect((await app.call('GET', path)).body).toEqual(reset.body);
  });

  it('a change merges the theme of the portal, member by member', async () => {
    const light = { primary: '#0f766e', radius: '0.5rem' };
    const created = await create({ name: 'Themed', portal: { theme: { title: 'Refer us', shadcnTheme: { light } } } });
    const patch = { portal: { theme: { shadcnTheme: { light: { primary: null, ring: 'red' } } } } };
    const { body } = await app.call('PATCH', `/api/programs/${created.id}`, { body: patch });
    expect(body.portal.theme).toMatchObject({
      title: 'Refer us',
      shadcnTheme: { light: { radius: '0.5rem', ring: 'red' }, dark: {} },
    });
    expect(body.portal.theme.shadcnTheme.light).not.toHaveProperty('primary');
  });

  it('a change from a percentage to flat amounts keeps nothing of the percentage', async () => {
    const { id } = await create({ name: 'Flat now' });
    const commission = { type: 'flat', amounts: { usd: 700 } };
    const { body } = await app.call('PATCH', `/api/programs/${id}`, { body: { commission } });
    expect(body.commission).toEqual(commission);
  });

  it('two concurrent changes of different members both apply', async () => {
    const { id } = await create({ name: 'Both' });
    const path = `/api/programs/${id}`;
    const changes = [{ holdDays: 1 }, { amountBasis: 'gross' }, { description: 'x' }, { selfReferral: 'flag' }];
    await Promise.all(changes.map((body) => app.call('PATCH', path, { body })));
    expect((await app.call('GET', path)).body).toMatchObject(Object.assign({}, ...changes));
  });

  it.each([
    [{ commission: { type: 'percentage', rateBasisPoints: 10_001 } }, 'commission.rateBasisPoints: must be a whole'],
    [{ commission: { type: 'percentage', rateBasisPoints: -1 } }, 'commission.rateBasisPoints: must be a whole'],
    [{ commission: { type: 'percentage', rateBasisPoints: 0.5 } }, 'commission.rateBasisPoints: must be a whole'],
    [{ commission: { type: 'flat' } }, 'commission.amounts: is required'],
    [{ commission: { type: 'half' } }, 'commission.type: must be one of percentage'],
    [{ commission: 20 }, 'commission: must be an object'],
    [{ commission: { type: 'flat', amounts: { usd: -1 } } }, 'commission.amounts.usd: must not be negative'],
    [{ commission: { type: 'flat', amounts: { usd: 1e12 + 1 } } }, 'commission.amounts.usd: must be at most'],
    [{ commission: { type: 'flat', amounts: { xyz: 1 } } }, 'commission.amounts.xyz: is not an ISO 4217'],
    [{ commission: { type: 'flat', amounts: { usd: 1, USD: 2 } } }, 'commission.amounts: must name usd once'],
    [{ minimumPayout: [] }, 'minimumPayout: must be an object'],
    [{ holdDays: 3651 }, 'holdDays: must be a whole number from 0 to 3650'],
    [{ holdDays: '30' }, 'holdDays: must be a number'],
    [{ durationMonths: 1201 }, 'durationMonths: must be a whole number from 0 to 1200'],
    [{ amountBasis: 'tax' }, 'amountBasis: must be one of net, gross'],
    [{ selfReferral: 'maybe' }, 'selfReferral: must be one of off, flag, refuse'],
    [{ emailMatching: 1 }, 'emailMatching: must be a boolean'],
    [{ trackedHosts: ['https://x'] }, 'trackedHosts.0: must be a host'],
    [{ name: '' }, 'name: must not be empty'],
    [{ name: 3 }, 'name: must be a string'],
  ])('%j is refused, on creation and as a change', async (members, problem) => {
    const body = { name: 'Bad', ...members };
    const created = await app.call('POST', '/api/programs', { body });
    expect(created).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(created.body.error.message).toContain(problem);
    const before = (await app.call('GET', `/api/programs/${app.programId}`)).body;
    const changed = await app.call('PATCH', `/api/programs/${app.programId}`, { body: members });
    expect(changed.status).toBe(400);
    expect(changed.body.error.message).toContain(problem);
    expect((await app.call('GET', `/api/programs/${app.programId}`)).body).toEqual(before);
  });

  it('its name can be changed but not removed', async () => {
    const answer = await app.call('PATCH', `/api/programs/${app.programId}`, { body: { name: null } });
    expect(answer).toMatchObject({ status: 400, body: { error: { message: 'name: is required' } } });
  });

  it('every problem of a request is named at once', async () => {
    const body = { holdDays: -1, amountBasis: 'x', commission: { type: 'flat', amounts: { usd: 0.5 } } };
    const { body: answer } = await app.call('POST', '/api/programs', { body });
    const paths = answer.error.details.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual(['amountBasis', 'commission.amounts.usd', 'holdDays', 'name']);
  });

  it.each([
    ['clickParameters', ['dub_id'], 'svc_id'],
    ['clickParameters', [], 'svc_id'],
    ['clickParameters', ['svc_id', 'a=b'], 'must start with a letter'],
    ['clickParameters', ['svc_id', ...Array.from({ length: 10 }, (_, n) => `name${n}`)], 'at most 10'],
    ['viaParameters', ['via', 'a b'], 'must start with a letter'],
    ['viaParameters', ['svc_id'], 'carries the click id'],
  ])('%s cannot be %j', async (member, names, reason) => {
    const { status, body } = await app.call('PATCH', `/api/programs/${app.programId}`, { body: { [member]: names } });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.message).toContain(reason);
  });

  it('the list shows the newest first, page by page', async () => {
    const { apiKey: key } = await app.addAccount('Pages Ltd');
    for (const name of ['Second', 'Third']) await app.call('POST', '/api/programs', { body: { name }, key });
    const first = await app.call('GET', '/api/programs?limit=2', { key });
    expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['Third', 'Second']);
    const rest = await app.call('GET', `/api/programs?limit=2&cursor=${first.body.nextCursor}`, { key });
    expect(rest.body).toMatchObject({ data: [{ holdDays: 30 }], nextCursor: null });
    expect(rest.body.data).toHaveLength(1);
  });

  it('another account cannot see or change it', async () => {
    const { apiKey: key } = await app.addAccount('Other Ltd');
    const path = `/api/programs/${app.programId}`;
    for (const answer of [
      await app.call('GET', path, { key }),
      await app.call('PATCH', path, { key, body: { name: 'Mine' } }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    }
    const { body } = await app.call('GET', '/api/programs?limit=100', { key });
    expect(body.data.map(({ id }: { id: string }) => id)).not.toContain(app.programId);
    expect((await app.call('GET', path)).body.name).not.toBe('Mine');
  });
});
