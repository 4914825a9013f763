import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { beginPost } from '../helpers/raw-connection.ts';

describe.each(engines)('API keys, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('are shown in full once, when they are created, and work at once', async () => {
    const made = await app.call('POST', '/api/api-keys', { body: { name: ' Backend ', rateLimitPerMinute: 50 } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      name: 'Backend',
      rateLimitPerMinute: 50,
      scope: 'full',
      prefix: made.body.key.slice(0, 12),
      lastFour: made.body.key.slice(-4),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUsedAt: null,
      revokedAt: null,
      key: expect.stringMatching(/^rb_live_[0-9A-Za-z]{36}$/),
    });
    const list = await app.call('GET', '/api/api-keys', { key: made.body.key });
    expect(list.status).toBe(200);
    expect(list.text).not.toContain(made.body.key);
    const { key: _, ...shown } = made.body;
    expect(list.body.data).toContainEqual({ ...shown, lastUsedAt: list.body.data[0].lastUsedAt });
  });

  it('are not stored in clear text', async () => {
    const rows = await app.service.database.read((tx) => tx.all('SELECT * FROM api_keys'));
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(app.apiKey);
  });

  it('are listed newest first, page by page, including revoked ones', async () => {
    const other = await app.addAccount('Pages Ltd');
    const call = (method: string, path: string, body?: unknown) => app.call(method, path, { key: other.apiKey, body });
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      ids.unshift((await call('POST', '/api/api-keys', { name })).body.id);
    }
    await call('DELETE', `/api/api-keys/${ids[1]}`);
    const first = await call('GET', '/api/api-keys?limit=2');
    expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
    expect(first.body.data[1].revokedAt).toEqual(expect.any(String));
    const second = await call('GET', `/api/api-keys?limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2, 4));
    const third = await call('GET', `/api/api-keys?limit=2&cursor=${second.body.nextCursor}`);
    expect(third.body.data).toHaveLength(1);
    expect(third.body.nextCursor).toBeNull();
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'cursor=nonsense', 'cursor=prg_0'])(
    'are not listed with the invalid query ?%s',
    async (query) => {
      const answer = await app.call('GET', `/api/api-keys?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: query.split('=')[0] }] });
    },
  );

  it.each([
    [{}, ['name']],
    [{ name: '   ' }, ['name']],
    [{ name: 'x'.repeat(256) }, ['name']],
    [{ name: 7, rateLimitPerMinute: 0 }, ['name', 'rateLimitPerMinute']],
    [{ name: 'Backend', rateLimitPerMinute: 1.5 }, ['rateLimitPerMinute']],
    [{ name: 'Backend', rateLimitPerMinute: '100' }, ['rateLimitPerMinute']],
    [{ name: 'Backend', rateLimitPerMinute: 1_000_001 }, ['rateLimitPerMinute']],
  ])('are not created from %j: every problem is named', async (body, paths) => {
    const answer = await app.call('POST', '/api/api-keys', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it('of another account are neither listed nor revoked', async () => {
    const other = await app.addAccount('Other Ltd');
    const theirs = (await app.call('GET', '/api/api-keys', { key: other.apiKey })).body.data[0].id;
    expect((await app.call('GET', '/api/api-keys?limit=100')).text).not.toContain(theirs);
    const answer = await app.call('DELETE', `/api/api-keys/${theirs}`);
    expect(answer.status).toBe(404);
    expect(answer.body.error.code).toBe('NOT_FOUND');
    expect((await app.call('GET', '/api/api-keys', { key: other.apiKey })).status).toBe(200);
  });

  it('may be revoked again, and keep the time of the first revocation', async () => {
    const { id } = (await app.call('POST', '/api/api-keys', { body: { name: 'Short-lived' } })).body;
    const revokedAt = async () =>
      (await app.call('GET', '/api/api-keys?limit=1')).body.data.find((key: { id: string }) => key.id === id).revokedAt;
    expect((await app.call('DELETE', `/api/api-keys/${id}`)).status).toBe(204);
    const first = await revokedAt();
    expect((await app.call('DELETE', `/api/api-keys/${id}`)).status).toBe(204);
    expect(first).toEqual(expect.any(String));
    expect(await revokedAt()).toBe(first);
  });

  it('change nothing after they were revoked while a body was on its way', async () => {
    const { id, key } = (await app.call('POST', '/api/api-keys', { body: { name: 'Stolen' } })).body;
    const body = JSON.stringify({ name: 'Back door' });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const { socket, received } = await beginPost(app.url, '/api/api-keys', body.length, headers);
    await app.call('DELETE', `/api/api-keys/${id}`);
    await sleep(300);
    socket.write(body);
    await expect.poll(received).toContain('HTTP/1.1 401 ');
    socket.destroy();
    expect((await app.call('GET', '/api/api-keys')).text).not.toContain('Back door');
  });

  it('come with a new account, together with a program on default terms', async () => {
    const account = await app.addAccount('Fresh Ltd');
    expect(account).toEqual({
      accountId: expect.stringMatching(/^acc_/),
      programId: expect.stringMatching(/^prg_/),
      apiKey: expect.stringMatching(/^rb_live_/),
    });
    const program = await app.service.database.read((tx) =>
      tx.get('SELECT account_id, name, hold_days FROM programs WHERE id = @id', { id: account.programId }),
    );
    expect(program).toEqual({ account_id: account.accountId, name: 'Fresh Ltd', hold_days: 30 });
  });

  it('need an account with a name', async () => {
    await expect(app.addAccount('')).rejects.toThrow('name');
  });
});
