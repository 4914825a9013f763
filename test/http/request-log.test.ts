import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createTestApp } from '../helpers/app.ts';

const VISITS = [
  ['GET', '/no-such-link'],
  ['POST', '/webhooks/stripe/whe_none'],
  ['GET', '/health/live'],
  ['GET', '/nowhere/at/all'],
] as const;

async function linesAt(level: 'debug' | 'info') {
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const app = await createTestApp('sqlite', { log });
  for (const [method, path] of VISITS) await app.call(method, path, { key: null });
  // a request is logged after its answer has been sent
  await app.close();
  const requests = logged.filter(({ msg }) => msg === 'request');
  return requests.map(({ method, route, status }) => [method, route, status]);
}

it('every request is logged at level debug, with the pattern of its route', async () => {
  expect(await linesAt('debug')).toEqual([
    ['GET', '/:key', 404],
    ['POST', '/webhooks/:processor/:endpointId', 404],
    ['GET', '/health/live', 200],
    ['GET', 'none', 404],
  ]);
});

it('no request is logged at level info', async () => {
  expect(await linesAt('info')).toEqual([]);
});
