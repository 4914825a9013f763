import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the id of a request', () => {
  let app: TestApp;
  let lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
    app = await createTestApp('sqlite', { log, service: { log } });
  });
  afterAll(() => app.close());
  beforeEach(() => {
    lines = [];
  });

  const idOf = async (path: string, sent?: string, method = 'GET') => {
    const headers = sent === undefined ? {} : { 'x-request-id': sent };
    return (await app.call(method, path, { headers })).headers.get('x-request-id');
  };

  it.each([
    ['GET', '/api/links'],
    ['GET', '/api/links/lnk_unknown'],
    ['POST', '/api/track/lead'],
    ['PUT', '/api/links'],
    ['GET', '/api/nothing'],
  ])('is on the answer of %s %s', async (method, path) => {
    expect(await idOf(path, undefined, method)).toMatch(UUID);
    expect(await idOf(path, 'Order-7.retry_2', method)).toBe('Order-7.retry_2');
  });

  it.each(['', 'a b', 'x'.repeat(129), 'id"', 'a/b', '<script>'])('is a new one instead of %j', async (sent) => {
    expect(await idOf('/api/links', sent)).toMatch(UUID);
  });

  it('is in every line that the log has of the request, and in no other answer', async () => {
    await idOf('/api/links/lnk_unknown', 'order-7');
    await expect.poll(() => lines.map(({ msg }) => msg).sort()).toEqual(['refused', 'request']);
    expect(lines.map(({ requestId }) => requestId)).toEqual(['order-7', 'order-7']);
    expect(await idOf('/nothing', 'order-8')).toBeNull();
    const { body } = await app.call('GET', '/api/links', { key: null });
    expect(Object.keys(body.error)).toEqual(['code', 'message']);
  });
});
