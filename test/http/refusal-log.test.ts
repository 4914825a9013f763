import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';

const LINES_PER_SECOND = 20;
const LONG = 'x'.repeat(15_000);

describe('the log of refused requests', () => {
  let app: TestApp;
  let lines: string[];
  const logged = () => lines.map((line) => JSON.parse(line));
  // each test has a service of its own, whose current second has no lines yet
  beforeEach(async () => {
    const written: string[] = [];
    lines = written;
    app = await createTestApp('sqlite', { log: pino({ level: 'info' }, { write: (line) => written.push(line) }) });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await app.close();
  });

  it.each([
    ['GET', `/${LONG}`],
    ['GET', `/api/${LONG}`],
    ['POST', `/webhooks/stripe/${LONG}`],
    ['POST', `/webhooks/${LONG}/whe_1`],
    ['GET', `/api/links/${LONG}`],
  ])('has one line for %s of a long path, with the start of the path', async (method, path) => {
    await app.call(method, path);
    expect(lines).toHaveLength(1);
    expect(logged()[0].path.length).toBeLessThanOrEqual(200);
    expect(lines[0]).not.toContain('x'.repeat(201));
  });

  it("has a line for each of a stranger's first 20 in a second, then one for all others", async () => {
    const SUMMARY = 'refused more requests without a valid credential in this second';
    // a service also logs lines that are not refusals
    const saying = (message: string) => logged().filter(({ msg }) => msg === message);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const second of [1, 2]) {
      await Promise.all(Array.from({ length: 100 }, () => app.call('GET', '/api/links', { key: 'svc_wrong' })));
      expect(saying('refused')).toHaveLength(LINES_PER_SECOND * second);
      vi.advanceTimersByTime(1_000);
      expect(saying(SUMMARY).map(({ count }) => count)).toEqual(Array(second).fill(100 - LINES_PER_SECOND));
    }
    expect(saying(SUMMARY)[0]).toMatchObject({ level: 30 });
  });

  it('has the status that was answered, where it is that of another product', async () => {
    const { status } = await app.call('POST', '/compat/dub/track/lead', { body: {} });
    expect([status, ...logged().map((line) => line.status)]).toEqual([422, 422]);
  });

  it('has no e-mail address, which the caller reads in the answer', async () => {
    const create = () => app.call('POST', '/api/partners', { body: { name: 'Ana', email: 'ana@example.com' } });
    await create();
    const { status, body } = await create();
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('ana@example.com')]);
    expect(logged().find(({ code }) => code === 'CONFLICT')?.reason).toContain('[e-mail address]');
    expect(lines.join('')).not.toContain('ana@');
  });

  it.each(['mia@example.com', 'mia%40example.com', 'mia%2540example.com'])(
    'has no e-mail address of a path: /api/customers/%s',
    async (customer) => {
      await app.call('GET', `/api/customers/${customer}`);
      await app.call('DELETE', `/api/customers/${customer}/personal-data`);
      const [, personalData] = logged().map(({ path }) => path);
      expect(personalData).toBe('/api/customers/[e-mail address]/personal-data');
      expect(lines).toHaveLength(2);
      expect(lines.join('')).not.toContain('mia');
    },
  );

  it('has no key that is sent where an id belongs', async () => {
    expect((await app.call('DELETE', `/api/api-keys/${app.apiKey}`)).status).toBe(404);
    const reason = 'No API key "rb_live_…" in this account';
    expect(logged()).toEqual([expect.objectContaining({ path: '/api/api-keys/rb_live_…', reason })]);
  });

  it.each([
    ['{"email":"ana@example.com","password":hunter2}', 'see the response'],
    ['{"password":hunter2}', 'see the response'],
    [`{"secrets":['hunter2']}`, 'see the response'],
    ['{"password":"hunter2" "email":""}', 'at position 22'],
  ])('has nothing of a body that is not valid JSON: %s', async (body, position) => {
    const answer = await app.call('POST', '/api/session', { key: null, body });
    expect(answer.body.error.code).toBe('VALIDATION_ERROR');
    expect(logged().map(({ reason }) => reason)).toEqual([`The body is not valid JSON: ${position}`]);
    expect(lines.join('')).not.toMatch(/hun/);
  });

  it('has a line for each refusal of a request with a valid key', async () => {
    await Promise.all(Array.from({ length: 100 }, () => app.call('GET', '/api/links/lnk_unknown')));
    expect(logged().filter(({ msg }) => msg === 'refused')).toHaveLength(100);
  });
});
