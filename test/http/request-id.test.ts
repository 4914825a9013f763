import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { openConnection } from '../helpers/raw-connection.ts';
import { createReferrer } from '../helpers/story.ts';

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
    ['GET', '/api/links/'],
    ['GET', '//api/links'],
    ['GET', '/API/links'],
    ['GET', '/api/links/lnk_unknown'],
    ['POST', '/api/track/lead'],
    ['PUT', '/api/links'],
    ['GET', '/api/nothing'],
  ])('is on the answer of %s %s', async (method, path) => {
    expect(await idOf(path, undefined, method)).toMatch(UUID);
    expect(await idOf(path, 'Order-7.retry_2', method)).toBe('Order-7.retry_2');
  });

  it.each(['', 'a b', 'x'.repeat(129), 'id"', 'a/b', '<script>'])('is new instead of %j', async (sent) => {
    expect(await idOf('/api/links', sent)).toMatch(UUID);
  });

  it.each([
    ['the API', 'GET', '/api/links/lnk_unknown', undefined],
    ['a link', 'GET', '/nothing', undefined],
    ['a webhook', 'POST', '/webhooks/stripe/whe_unknown', {}],
    ['a webhook by Express', 'POST', '/webhooks/stripe/whe_unknown?a=1', {}],
    ['no route', 'DELETE', '/nowhere/at/all', undefined],
    ['a body that is too large', 'POST', '/api/track/lead', { eventName: 'x'.repeat(70_000) }],
    ['a delivery that is too large', 'POST', '/webhooks/stripe/whe_unknown', 'x'.repeat(2_200_000)],
  ])('is in the answer and in every log line of a refused request: %s', async (_what, method, path, body) => {
    const headers = { 'x-request-id': 'order-7' };
    const answer = await app.call(method, path, body === undefined ? { headers } : { headers, body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get('x-request-id')).toBe('order-7');
    await expect.poll(() => lines.map(({ msg }) => msg).sort()).toEqual(['refused', 'request']);
    expect(lines.map(({ requestId }) => requestId)).toEqual(['order-7', 'order-7']);
  });

  it("is the client's for visitors and deliveries that are answered successfully, and absent without one", async () => {
    const referrer = await createReferrer(app);
    const key = (await app.call('GET', `/api/links/${referrer.linkId}`)).body.key;
    expect(await idOf(`/${key}`, 'visit-1')).toBe('visit-1');
    expect(await idOf(`/${key}`)).toBeNull();
    await expect.poll(() => lines.find(({ requestId }) => requestId === 'visit-1')).toMatchObject({ status: 302 });
  });

  it('is new for refused requests that came without one, the same in the answer and in the log', async () => {
    const sent = await idOf('/nowhere/at/all');
    expect(sent).toMatch(UUID);
    await expect.poll(() => lines.map(({ requestId }) => requestId)).toEqual([sent, sent]);
  });

  it.each([
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['what is not HTTP', 'hello\r\n\r\n', 400],
    ['a missing host', 'GET /nothing HTTP/1.1\r\nX-Request-Id: raw-1\r\n\r\n', 400],
  ])('is in the answer to %s, and in a line of the log', async (_what, text, status) => {
    const connection = openConnection(app.url);
    connection.socket.end(text);
    const answer = await connection.ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [, id] = /^x-request-id: (\S+)\r$/im.exec(answer) ?? [];
    expect(id).toMatch(text.includes('raw-1') ? /^raw-1$/ : UUID);
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'refused', requestId: id, status }));
  });

  it('is not in the body of an error', async () => {
    const { body } = await app.call('GET', '/api/links', { key: null });
    expect(Object.keys(body.error)).toEqual(['code', 'message']);
  });
});
