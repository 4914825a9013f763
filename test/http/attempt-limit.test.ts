import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSealer } from '../../src/process/sealer.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { signIn } from '../helpers/operators.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';

const EMAIL = 'olga@example.com';
const apps: TestApp[] = [];
beforeAll(async () => {
  for (const key of [1, 2])
    apps.push(
      await createTestApp('postgres', { trustProxy: 1, service: { sealer: createSealer(Buffer.alloc(32, key)) } }),
    );
});
afterAll(() => Promise.all(apps.map((app) => app.close())));

it('attempts to sign in are counted in the database without leading back to addresses there', async () => {
  const kept: unknown[][] = [];
  for (const app of apps) {
    const attempt = () =>
      signIn(app, { email: EMAIL, password: 'not the password' }, { 'x-forwarded-for': '203.0.113.77' });
    for (const _ of [1, 2]) expect((await attempt()).status).toBe(401);
    const keys = "SELECT key, points FROM rate_limits WHERE key LIKE 'attempt %' ORDER BY key";
    kept.push(await executeOnServer(app.databaseUrl, keys));
  }
  const [one, other] = kept;
  expect(one).toMatchObject([{ points: 2 }, { points: 2 }]);
  expect(other).toHaveLength(2);
  const keys = kept.flat().map((row) => (row as { key: string }).key);
  // the same visitor and name: whoever could compute a key from them would find both
  expect(new Set(keys).size).toBe(4);
});
