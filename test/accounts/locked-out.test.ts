import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createOperator, freshAddress, type SignedIn } from '../helpers/operators.ts';
import { unique } from '../helpers/story.ts';

/** Somebody with a credential. */
interface Caller {
  call: SignedIn['call'];
  /** Takes it away. */
  lockOut(): Promise<Answer>;
}

describe.each(engines)('a request whose caller is locked out before its unit of work, on %s', (engine) => {
  let app: TestApp;
  let owner: SignedIn;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1, service: { rateLimitPerMinute: 1_000_000 } });
    owner = await createOperator(app);
  });
  afterAll(() => app.close());

  const callers: [string, () => Promise<Caller>][] = [
    [
      'whose key was revoked',
      async () => {
        const { id, key } = (await owner.call('POST', '/api/api-keys', { body: { name: 'Old' } })).body;
        const call: Caller['call'] = (method, path, options) => app.call(method, path, { ...options, key });
        await call('GET', '/api/api-keys');
        return { call, lockOut: () => owner.call('DELETE', `/api/api-keys/${id}`) };
      },
    ],
    [
      'whose session was ended',
      async () => {
        const { call } = await createOperator(app);
        const [{ id }] = (await call('GET', '/api/sessions')).body.data.filter(
          ({ isCurrent }: { isCurrent: boolean }) => isCurrent,
        );
        return { call, lockOut: () => owner.call('DELETE', `/api/sessions/${id}`) };
      },
    ],
    [
      'who was removed',
      async () => {
        const { id, call } = await createOperator(app);
        return { call, lockOut: () => owner.call('DELETE', `/api/operators/${id}`) };
      },
    ],
    [
      'who lost the role',
      async () => {
        const { id, call } = await createOperator(app);
        return {
          call,
          lockOut: () => owner.call('PATCH', `/api/operators/${id}`, { body: { role: 'member' } }),
        };
      },
    ],
  ];

  /** Sends a request, and locks its caller out when the unit of work is about to begin. */
  async function sendTooLate({ call, lockOut }: Caller, ...request: Parameters<Caller['call']>): Promise<Answer> {
    const { database } = app.service;
    const write = database.write;
    const spy = vi.spyOn(database, 'write').mockImplementationOnce(async (unit, options) => {
      expect((await lockOut()).status).toBeLessThan(300);
      return write(unit, options);
    });
    const answer = await call(...request);
    spy.mockRestore();
    return answer;
  }

  describe.each(callers)('by somebody %s', (_, createCaller) => {
    it.each<[string, string, () => object]>([
      ['API key', '/api/api-keys', () => ({ name: unique('key'), scope: 'full' })],
      ['event endpoint', '/api/event-endpoints', () => ({ url: `https://example.com/${unique('path')}` })],
      ['webhook endpoint', '/api/webhook-endpoints', () => ({ processor: 'stripe', secrets: ['whsec_of_a_thief'] })],
    ])('makes no %s', async (_what, path, newBody) => {
      const listed = async () => (await app.call('GET', `${path}?limit=100`)).body.data.length;
      const caller = await createCaller();
      const before = await listed();
      const answer = await sendTooLate(caller, 'POST', path, { body: newBody() });
      expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(await listed()).toBe(before);
    });
  });

  // on SQLite, one unit runs after the other
  describe.each(engine === 'sqlite' ? [] : callers)('by somebody %s', (_, createCaller) => {
    it('is committed before that is answered, when it came first', async () => {
      const { call, lockOut } = await createCaller();
      const { database } = app.service;
      const { write } = database;
      let lockedOut: Promise<Answer> | undefined;
      const spy = vi.spyOn(database, 'write').mockImplementationOnce((unit, options) =>
        write(async (tx) => {
          const created = await unit(tx);
          lockedOut ??= lockOut();
          expect(await Promise.race([lockedOut, sleep(300, 'waits')])).toBe('waits');
          return created;
        }, options),
      );
      expect((await call('POST', '/api/api-keys', { body: { name: unique('key') } })).status).toBe(201);
      spy.mockRestore();
      expect((await lockedOut)?.status).toBeLessThan(300);
    });
  });

  it.each(callers)('keeps nobody waiting who locks out somebody %s, however many follow', async (_, createCaller) => {
    const { call, lockOut } = await createCaller();
    const createKey = async () => (await call('POST', '/api/api-keys', { body: { name: unique('key') } })).status;
    const keys = async () =>
      app.service.database.read((tx) => tx.get<{ count: number }>('SELECT COUNT(*) AS count FROM api_keys'));
    const flood = Array.from({ length: 30 }, async () => {
      while ((await createKey()) === 201);
    });
    await sleep(100);
    expect((await lockOut()).status).toBeLessThan(300);
    const known = await keys();
    await Promise.all(flood);
    expect(await keys()).toEqual(known);
  });

  it('that ends its own access is carried out', async () => {
    const { id, key } = (await owner.call('POST', '/api/api-keys', { body: { name: 'Own' } })).body;
    expect((await app.call('DELETE', `/api/api-keys/${id}`, { key })).status).toBe(204);
    const second = await createOperator(app);
    expect((await second.call('DELETE', `/api/operators/${second.id}`, { headers: freshAddress() })).status).toBe(204);
    const third = await createOperator(app);
    expect((await third.call('DELETE', '/api/session')).status).toBe(204);
  });
});
