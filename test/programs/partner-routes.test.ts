import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

describe.each(engines)('partners on %s', (engine) => {
  let app: TestApp;
  let count = 0;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const post = (body: object, key = app.apiKey) => app.call('POST', '/api/partners', { body, key });
  const create = async (members: object = {}) => {
    count += 1;
    const answer = await post({ programId: app.programId, name: 'Ada', email: `ada${count}@example.com`, ...members });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };

  it('a partner is in the only program, active, and has its creation date', async () => {
    const { status, body } = await post({ name: ' Grace ', email: 'Grace@Example.com' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ptr_[0-9a-f]{32}$/),
      programId: app.programId,
      name: 'Grace',
      email: 'grace@example.com',
      tenantId: null,
      discountCodes: [],
      commission: null,
      payoutDetails: null,
      status: 'active',
      archivedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect((await app.call('GET', `/api/partners/${body.id}`)).body).toEqual(body);
  });

  it('all given values are returned, at once and later', async () => {
    const commission = { type: 'percentage', rateBasisPoints: 3500 };
    const created = await create({ tenantId: 'tenant-1', discountCodes: ['Zoë-20', 'ada10', 'ADA10'], commission });
    expect(created).toMatchObject({ tenantId: 'tenant-1', discountCodes: ['ADA10', 'Zoë-20'], commission });
    expect((await app.call('GET', `/api/partners/${created.id}`)).body).toEqual(created);
  });

  it('an address is unique in a program, ignoring case', async () => {
    const { email, id } = await create();
    const again = await post({ name: 'Twice', email: email.toUpperCase() });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(again.body.error.message).toMatch(/^email: /);
    const other = await create();
    const changed = await app.call('PATCH', `/api/partners/${other.id}`, { body: { email: email.toUpperCase() } });
    expect(changed.status).toBe(409);
    const itself = await app.call('PATCH', `/api/partners/${id}`, { body: { email: email.toUpperCase() } });
    expect(itself.body.email).toBe(email);
  });

  it('a tenant id is unique in a program', async () => {
    await create({ tenantId: 'tenant-2' });
    const again = await post({ name: 'Twice', email: 'twice@example.com', tenantId: 'tenant-2' });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(again.body.error.message).toMatch(/^tenantId: /);
    const { id } = await create();
    expect((await app.call('PATCH', `/api/partners/${id}`, { body: { tenantId: 'tenant-2' } })).status).toBe(409);
  });

  it('a discount code is unique in the account, ignoring case, and a refusal stores nothing', async () => {
    await create({ discountCodes: ['SPRING'] });
    const again = await post({ name: 'Late', email: 'late@example.com', discountCodes: ['free', 'Spring'] });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(again.body.error.message).toContain('"Spring"');
    expect((await post({ name: 'Late', email: 'late@example.com', discountCodes: ['FREE'] })).status).toBe(201);
  });

  it('a released code is free for another partner', async () => {
    const first = await create({ discountCodes: ['KEEP', 'PASS-ON'] });
    const path = `/api/partners/${first.id}`;
    expect((await app.call('PATCH', path, { body: { discountCodes: ['KEEP'] } })).body.discountCodes).toEqual(['KEEP']);
    expect((await create({ discountCodes: ['pass-on'] })).discountCodes).toEqual(['pass-on']);
    expect((await app.call('PATCH', path, { body: { discountCodes: ['pass-ON'] } })).status).toBe(409);
    expect((await app.call('GET', path)).body.discountCodes).toEqual(['KEEP']);
  });

  it('a change with null clears optional members and keeps the rest', async () => {
    const commission = { type: 'flat', amounts: { usd: 1000 } };
    const created = await create({ tenantId: 'tenant-3', discountCodes: ['GONE'], commission });
    const path = `/api/partners/${created.id}`;
    const body = { tenantId: null, commission: null, discountCodes: null };
    const changed = await app.call('PATCH', path, { body });
    expect(changed.body).toEqual({ ...created, tenantId: null, commission: null, discountCodes: [] });
    expect((await app.call('GET', path)).body).toEqual(changed.body);
  });

  it('name and address cannot be cleared, and a partner cannot change its program', async () => {
    const { id } = await create();
    const program = await app.call('POST', '/api/programs', { body: { name: 'Elsewhere' }, key: app.apiKey });
    const change = (body: object) => app.call('PATCH', `/api/partners/${id}`, { body });
    expect((await change({ name: null, email: null })).body.error.message).toBe(
      'name: is required; email: is required',
    );
    const moved = await change({ programId: program.body.id });
    expect(moved).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(moved.body.error.message).toMatch(/^programId: cannot be changed/);
  });

  it('when 20 partners with one address are created at once, one succeeds', async () => {
    const { apiKey: key } = await app.addAccount('Racing Ltd');
    const body = { name: 'Fast', email: 'fast@example.com', discountCodes: ['FAST', 'FASTER'], tenantId: 'fast' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, key)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
    expect((await app.call('GET', '/api/partners', { key })).body.data).toHaveLength(1);
  });

  it('when several partners take one address at once, by change and by creation, one succeeds', async () => {
    const { apiKey: key } = await app.addAccount('Changing Ltd');
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => post({ name, email: `${name}@example.com` }, key)),
    );
    const body = { name: 'e', email: 'wanted@example.com' };
    const answers = await Promise.all([
      ...made.map((answer) => app.call('PATCH', `/api/partners/${answer.body.id}`, { body, key })),
      post(body, key),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
    expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(1);
  });

  it.each([
    [{ email: 'nobody' }, 'email: must be an e-mail address'],
    [{ email: undefined }, 'email: is required'],
    [{ name: '' }, 'name: must not be empty'],
    [{ tenantId: '' }, 'tenantId: must not be empty'],
    [{ discountCodes: 'ONE' }, 'discountCodes: must be an array'],
    [{ discountCodes: ['A\nB'] }, 'discountCodes.0: must be one line'],
    [{ discountCodes: ['OK', ''] }, 'discountCodes.1: must not be empty'],
    [{ commission: { type: 'flat', amounts: {}, rate: 1 }, name: 3 }, 'name: must be a string'],
  ])('%j is refused', async (members, problem) => {
    const answer = await post({ name: 'Bad', email: 'bad@example.com', ...members });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.body.error.message).toContain(problem);
  });

  it('the program is required when there are several, and the error lists them', async () => {
    const { apiKey: key, programId } = await app.addAccount('Several Ltd');
    const second = (await app.call('POST', '/api/programs', { body: { name: 'Second' }, key })).body;
    const partner = { name: 'Ada', email: 'ada@example.com' };
    const { status, body } = await post(partner, key);
    expect(status).toBe(400);
    expect(body.error.details[0].path).toBe('programId');
    expect(body.error.message).toContain(programId);
    expect(body.error.message).toContain(`${second.id} (Second)`);
    for (const id of [programId, second.id]) {
      expect(await post({ ...partner, programId: id }, key)).toMatchObject({ status: 201, body: { programId: id } });
    }
  });

  it('an account without a program is told how to create one', async () => {
    const { accountId, apiKey: key } = await app.addAccount('Empty Ltd');
    await app.service.database.write((tx) =>
      tx.run('DELETE FROM programs WHERE account_id = @accountId', { accountId }),
    );
    const { status, body } = await post({ name: 'Ada', email: 'ada@example.com' }, key);
    expect(status).toBe(400);
    expect(body.error.message).toContain('POST /api/programs');
  });

  it.each([
    ['Élan Ökonom', ['Élan', 'élan', 'ÉLAN', 'Éla', 'elan@', 'élan ö', 'Élan Ökonom']],
    ['ana Éluard', ['ana é', 'ANA ÉLUARD', 'Ana']],
    ['Пётр Чайковский', ['пётр', 'ПЁТР ЧАЙ', 'Пётр Чайковский']],
    ['東京 Ltd', ['東京', '東京 ltd']],
  ])('a search finds the beginning of a name in any case: %s', async (name, searches) => {
    const { apiKey: key } = await app.addAccount(name);
    await app.call('POST', '/api/partners', { key, body: { name, email: 'elan@example.com' } });
    await app.call('POST', '/api/partners', { key, body: { name: 'Elan', email: 'other@example.com' } });
    for (const search of searches) {
      const { body } = await app.call('GET', `/api/partners?search=${encodeURIComponent(search)}`, { key });
      expect([search, body.data.map((partner: { name: string }) => partner.name)]).toEqual([search, [name]]);
    }
    const { body } = await app.call('GET', `/api/partners?search=${encodeURIComponent('ü')}`, { key });
    expect(body.data).toEqual([]);
  });

  it('another account cannot see, change or use them', async () => {
    const { apiKey: key } = await app.addAccount('Other Ltd');
    const partner = await create({ discountCodes: ['SHARED'] });
    const path = `/api/partners/${partner.id}`;
    expect((await app.call('GET', path, { key })).status).toBe(404);
    expect((await app.call('PATCH', path, { key, body: { name: 'Mine' } })).status).toBe(404);
    expect((await app.call('GET', '/api/partners', { key })).body).toEqual({ data: [], nextCursor: null });
    const foreign = await post({ name: 'Ada', email: 'ada@example.com', programId: app.programId }, key);
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    expect((await post({ name: 'Ada', email: partner.email, discountCodes: ['SHARED'] }, key)).status).toBe(201);
    expect((await app.call('GET', path)).body).toEqual(partner);
  });
});
