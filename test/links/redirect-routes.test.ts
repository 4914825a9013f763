import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { openConnection } from '../helpers/raw-connection.ts';
import { VISITOR } from '../helpers/story.ts';
import { clickIdIn, clicksOf, createLink, visit } from '../helpers/visitors.ts';

// the database timeout does not matter here, but a busy machine may exceed it
vi.mock('../../src/links/timeout.ts', () => ({ DATABASE_TIMEOUT_MS: 60_000 }));

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';
const CLICK_ID = /^clk_[0-9a-f]{12}[0-9A-Za-z]{20}$/;

describe.each(engines)('a partner link on %s', (engine) => {
  let app: TestApp;
  // a fixed time, because at midnight (UTC) a returning visitor becomes a new one
  const now = Date.now();
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  it('redirects the visitor with a click that is stored', async () => {
    const link = await createLink(app, { url: 'https://shop.example.com/a%20b?plan=pro+x#top' });
    const answer = await visit(app, `/${link.key}?utm_source=mail`, {
      referer: 'https://blog.example.com:8443/best?q=1',
    });
    const id = clickIdIn(answer) ?? '';
    expect([answer.status, answer.text]).toEqual([302, '']);
    expect(answer.headers.get('location')).toBe(
      `https://shop.example.com/a%20b?plan=pro+x&utm_source=mail&svc_id=${id}#top`,
    );
    expect(await clicksOf(app, link)).toEqual([
      {
        id: expect.stringMatching(CLICK_ID),
        referrerHost: 'blog.example.com',
        device: 'desktop',
        country: null,
        visitorHash: expect.stringMatching(/^[\w-]{16}$/),
        createdAt: now,
      },
    ]);
    const [row] = await clicksOf(app, link);
    expect(row?.id).toBe(id);
  });

  it('is not cached, sets no cookie, and leaves the shop its referrer', async () => {
    const { key } = await createLink(app);
    const { headers } = await visit(app, `/${key}`);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
    expect(headers.get('referrer-policy')).toBe('no-referrer-when-downgrade');
    expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d+$/);
  });

  it('counts two people behind one address, and one who comes twice, as separate clicks', async () => {
    const link = await createLink(app);
    const answers = await Promise.all(
      [VISITOR, IPHONE, VISITOR].map((agent) => visit(app, `/${link.key}`, { 'user-agent': agent })),
    );
    expect(new Set(answers.map(clickIdIn)).size).toBe(3);
    const clicks = await clicksOf(app, link);
    expect(clicks.map(({ device }) => device).sort()).toEqual(['desktop', 'desktop', 'mobile']);
    expect(new Set(clicks.map(({ visitorHash }) => visitorHash)).size).toBe(2);
    expect((await app.call('GET', `/api/links/${link.id}`)).body.clicks).toBe(3);
  });

  it('counts each of 300 concurrent visitors exactly once', async () => {
    const links = await Promise.all(Array.from({ length: 7 }, () => createLink(app)));
    const answers = await Promise.all(Array.from({ length: 300 }, (_, n) => visit(app, `/${links[n % 7]?.key}`)));
    const given = answers.map(clickIdIn).sort();
    const stored = (await Promise.all(links.map((link) => clicksOf(app, link)))).flat();
    expect(stored.map(({ id }) => id).sort()).toEqual(given);
    const counted = await Promise.all(links.map(({ id }) => app.call('GET', `/api/links/${id}`)));
    expect(counted.reduce((sum, { body }) => sum + body.clicks, 0)).toBe(300);
  });

  it.each([
    ['HEAD', {}, 'HEAD', 'head'],
    ['a prefetch', { 'sec-purpose': 'prefetch;anonymous-client-ip' }, 'GET', 'prefetch'],
    ['a page rendered ahead', { 'sec-purpose': 'prefetch;prerender' }, 'GET', 'prefetch'],
    ['an old prefetch', { purpose: 'prefetch' }, 'GET', 'prefetch'],
    ['a preview of Safari', { 'x-purpose': 'preview' }, 'GET', 'prefetch'],
    [
      'Google',
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      'GET',
      'bot',
    ],
    [
      'the preview of a chat',
      { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' },
      'GET',
      'bot',
    ],
    ['curl', { 'user-agent': 'curl/8.5.0' }, 'GET', 'bot'],
    ['a headless browser', { 'user-agent': VISITOR.replace('Chrome/', 'HeadlessChrome/') }, 'GET', 'bot'],
  ])('redirects %s, counts nothing and says so', async (_who, headers, method, reason) => {
    const link = await createLink(app, { url: 'https://shop.example.com/?plan=pro#top' });
    const answer = await visit(app, `/${link.key}?utm_source=mail`, headers, method);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('x-refbridge-click')).toBe(`none; reason=${reason}`);
    expect(answer.headers.get('location')).toBe('https://shop.example.com/?plan=pro&utm_source=mail#top');
    expect(await clicksOf(app, link)).toEqual([]);
    expect((await app.call('GET', `/api/links/${link.id}`)).body.clicks).toBe(0);
  });

  it('redirects to the current destination as soon as it is changed', async () => {
    const link = await createLink(app, { key: `then-${engine}` });
    await visit(app, `/${link.key}`);
    await app.call('PATCH', `/api/links/${link.id}`, {
      body: { url: 'https://new.example.com/', key: `now-${engine}` },
    });
    expect((await visit(app, `/then-${engine}`)).status).toBe(404);
    expect((await visit(app, `/now-${engine}`)).headers.get('location')).toMatch(/^https:\/\/new\.example\.com\//);
  });

  it('is found by its domain however the visitor writes it, and only there', async () => {
    const { key } = await createLink(app, { domain: 'go.example.com' });
    for (const host of ['GO.Example.com', ...['', '.', ':443', ':80'].map((end) => `go.example.com${end}`)]) {
      expect(await rawStatus(app, `GET /${key} HTTP/1.1\r\nHost: ${host}`), host).toBe(302);
    }
    for (const host of ['refer.example.com', 'go.example.com.evil.example.com', 'go.example.com@x', '[']) {
      expect(await rawStatus(app, `GET /${key} HTTP/1.1\r\nHost: ${host}`), host).toBe(404);
    }
  });

  it('works with unusual requests', async () => {
    const { key } = await createLink(app);
    const host = new URL(app.url).host;
    for (const target of [`/${key}/`, `/%${key.charCodeAt(0).toString(16)}${key.slice(1)}`, `http://${host}/${key}`]) {
      expect(await rawStatus(app, `GET ${target} HTTP/1.1\r\nHost: ${host}`), target).toBe(302);
    }
  });

  it.each([
    '//evil.example.com',
    '/%2F%2Fevil.example.com',
    '/https://evil.example.com',
    '/nobody?url=https://evil.example.com',
    '/%00',
    '/%E2%80%AE',
    `/${'k'.repeat(101)}`,
  ])('does not exist at %s', async (target) => {
    const host = new URL(app.url).host;
    expect(await rawStatus(app, `GET ${target} HTTP/1.1\r\nHost: ${host}`)).toBe(404);
  });

  it('is not the root of the service, which redirects nobody', async () => {
    const answer = await visit(app, '/?url=https://evil.example.com');
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
  });

  it('keeps its host, whatever the visitor appends', async () => {
    const { key } = await createLink(app, { url: 'https://shop.example.com' });
    for (const query of [
      '@evil.example.com',
      '//evil.example.com',
      '.evil.example.com',
      '%0d%0aLocation:%20https://evil.example.com',
      '#@evil',
    ]) {
      const { headers } = await visit(app, `/${key}?${query}`);
      expect(URL.parse(headers.get('location') ?? '')?.origin, query).toBe('https://shop.example.com');
    }
  });

  it.each([
    ['a plain path', '/no-such-link'],
    ['an encoded path', '/%6eo-such-link'],
    ['a slash at the end', '/no-such-link/'],
  ])('has a line for people when there is no such link: %s', async (_case, path) => {
    const answer = await visit(app, path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(answer.text).toBe('There is no such link.\n');
  });

  it('logs nothing for an operator when no link exists', async () => {
    const logged: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => logged.push(line) });
    const other = await createTestApp(engine, { log });
    for (const path of ['/wp-login.php', '/%77p-login.php']) expect((await visit(other, path)).status).toBe(404);
    await visit(other, '/a/b');
    await other.close();
    expect(logged.map((line) => JSON.parse(line).path)).toEqual(['/a/b']);
  });

  it('is read-only: other methods are refused', async () => {
    const { key } = await createLink(app);
    const answer = await visit(app, `/${key}`, {}, 'DELETE');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it.each(['api', 'API', 'webhooks', 'compat'])('cannot be /%s', async (key) => {
    const answer = await visit(app, `/${key}`);
    expect([answer.status, answer.body?.error?.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe.each(engines)('a program with further click parameters on %s', (engine) => {
  it('passes the same id in each of them, and nothing that the visitor put there', async () => {
    const app = await createTestApp(engine);
    const link = await createLink(app, { url: 'https://shop.example.com/?dub_id=stored&plan=pro#top' });
    const body = { clickParameters: ['dub_id', 'svc_id', 'refp_id'] };
    expect((await app.call('PATCH', `/api/programs/${app.programId}`, { body })).status).toBe(200);
    const answer = await visit(app, `/${link.key}?refp_id=made-up&utm_source=mail`);
    const [click] = await clicksOf(app, link);
    expect(answer.headers.get('location')).toBe(
      `https://shop.example.com/?plan=pro&utm_source=mail&dub_id=${click?.id}&svc_id=${click?.id}&refp_id=${click?.id}#top`,
    );
    await app.close();
  });
});

describe.each(engines)('the country of a visitor on %s', (engine) => {
  const countryBehind = async (trustProxy: number | string | undefined, headers: Record<string, string>) => {
    const app = await createTestApp(engine, trustProxy === undefined ? {} : { trustProxy });
    const link = await createLink(app);
    await visit(app, `/${link.key}`, headers);
    const [click] = await clicksOf(app, link);
    await app.close();
    return click?.country;
  };

  it.each([
    [1, { 'cf-ipcountry': 'de' }, 'DE'],
    ['loopback', { 'cloudfront-viewer-country': 'US' }, 'US'],
    [1, { 'x-vercel-ip-country': 'FR' }, 'FR'],
    [1, { 'cf-ipcountry': 'XX' }, null],
    [1, { 'cf-ipcountry': 'T1' }, null],
    [1, { 'cf-ipcountry': 'Germany' }, null],
    ['10.0.0.0/8', { 'cf-ipcountry': 'DE' }, null],
    [undefined, { 'cf-ipcountry': 'DE' }, null],
  ])('with TRUST_PROXY %s and %j is %s', async (trustProxy, headers, country) => {
    expect(await countryBehind(trustProxy, headers)).toBe(country);
  });
});

/** The status of a request that fetch cannot send. */
async function rawStatus(app: TestApp, head: string): Promise<number> {
  const connection = openConnection(app.url);
  connection.socket.write(`${head}\r\nUser-Agent: ${VISITOR}\r\nConnection: close\r\n\r\n`);
  return Number((await connection.ended).slice('HTTP/1.1 '.length, 12));
}
