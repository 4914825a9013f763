import { expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { createServer } from '../src/server.ts';
import { createTestDatabase, engines } from './helpers/databases.ts';

it.each(engines)('the service runs inside another process until it is closed, on %s', async (engine) => {
  const database = await createTestDatabase(engine);
  try {
    const settings = { DATABASE_URL: database.url, HOST: '127.0.0.1', PORT: 0, LOG_LEVEL: 'silent' };
    const server = await createServer({ ...settings, SECRET_KEY: Buffer.alloc(32, 3).toString('hex') });
    const answer = await fetch(`${server.url}/api/sales`, { headers: { connection: 'close' } });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'UNAUTHORIZED' } }]);
    // as two signals at once would
    await Promise.all([server.close(), server.close()]);
    await server.close();
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  } finally {
    await database.remove();
  }
});

it('a wrong setting is named, and nothing starts', async () => {
  await expect(createServer({ PORT: 'x', DATABASE_URL: 'mysql://localhost' })).rejects.toThrow(
    /PORT[\s\S]*DATABASE_URL|DATABASE_URL[\s\S]*PORT/,
  );
});

it('the package offers it as refbridge/server', () => {
  expect(packageJson.exports['./server']).toEqual({
    types: './dist/src/server.d.ts',
    default: './dist/src/server.js',
  });
});
