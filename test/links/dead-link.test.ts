import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createLink } from '../helpers/visitors.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const HELP = 'https://shop.example.com/partners?from=dead-link';

interface Got {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  text: string;
}

describe.each(engines)('a link that does not exist, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await createLink(app, { domain: 'go.example.com', key: 'pia' });
    const other = await app.addAccount('Other Ltd');
    const body = { name: 'Olaf', email: 'olaf@example.com' };
    const partner = await app.call('POST', '/api/partners', { key: other.apiKey, body });
    const link = {
      partnerId: partner.body.id,
      domain: 'go.example.org',
      key: 'olaf',
      url: 'https://shop.example.org/',
    };
    await app.call('POST', '/api/links', { key: other.apiKey, body: link });
  });
  afterAll(() => app.close());

  const get = (path: string, host: string, accept = BROWSER, method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      request(new URL(path, app.url), { method, headers: { host, accept } }, (answer) => {
        const { statusCode: status, headers } = answer;
        text(answer).then((content) => resolve({ status, headers, text: content }), reject);
      })
        .on('error', reject)
        .end();
    });
  const setDeadLinkUrl = (deadLinkUrl: unknown) =>
    app.call('PATCH', `/api/programs/${app.programId}`, { body: { deadLinkUrl } });

  it.each([
    ['the own host', '/no-such-link', 'refer.example.com'],
    ['a domain for links', '/no-such-link?utm_source=mail', 'go.example.com'],
    ['an encoded path', '/%6eo-such-link', 'go.example.com'],
    ['the start of a domain for links', '/', 'go.example.com'],
    ['a path that no link can have', '/%C3%A4', 'go.example.com'],
    ['a longer path, on the own host', '/one/two', 'refer.example.com'],
  ])('is a page for people: %s', async (_, path, host) => {
    const { status, headers, text: page } = await get(path, host);
    expect(status).toBe(404);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
    });
    expect(page).toContain('This link does not exist');
    expect(page).not.toMatch(/<script|no-such-link|https?:/);
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    // otherwise Firefox asks for /favicon.ico, and reports that the policy forbids it
    expect(page).toContain('<link rel="icon" href="data:,">');
    const head = await get(path, host, BROWSER, 'HEAD');
    expect([head.status, head.headers['content-length'], head.text]).toEqual([404, headers['content-length'], '']);
  });

  it('stays a line of text, or JSON, for programs', async () => {
    const line = await get('/no-such-link', 'go.example.com', '*/*');
    expect([line.status, line.headers['content-type'], line.text]).toEqual([
      404,
      'text/plain; charset=utf-8',
      'There is no such link.\n',
    ]);
    for (const [path, host, accept] of [
      ['/no-such/link', 'go.example.com', 'application/json'],
      ['/api/nothing', 'go.example.com', BROWSER],
    ] as const) {
      const { status, text: body } = await get(path, host, accept);
      expect([path, status, JSON.parse(body).error.code]).toEqual([path, 404, 'NOT_FOUND']);
    }
  });

  it('is not shown at / on other hosts, which redirect to the dashboard', async () => {
    for (const host of ['refer.example.com', 'refer.example.com.', 'nobody.example.com', '127.0.0.1']) {
      const { status, headers } = await get('/', host);
      expect([host, status, headers.location]).toEqual([host, 302, '/dashboard/']);
    }
  });

  it('leads to the address that the program names, on domains of its account only', async () => {
    expect((await setDeadLinkUrl('javascript:alert(1)')).status).toBe(400);
    expect((await setDeadLinkUrl(HELP)).body.deadLinkUrl).toBe(HELP);
    for (const path of ['/no-such-link', '/no-such-link?a=b', '/']) {
      const { status, headers } = await get(path, 'GO.example.com');
      expect([path, status, headers.location, headers['cache-control']]).toEqual([path, 302, HELP, 'no-store']);
    }
    expect((await get('/no-such-link', 'go.example.com', BROWSER, 'HEAD')).headers.location).toBe(HELP);
    expect((await get('/pia', 'go.example.com')).headers.location).toContain('https://shop.example.com/');
    for (const host of ['refer.example.com', 'go.example.org', 'nobody.example.com']) {
      const { status, headers } = await get('/no-such-link', host);
      expect([host, status, headers.location]).toEqual([host, 404, undefined]);
    }
    expect((await setDeadLinkUrl(null)).body.deadLinkUrl).toBeNull();
    expect((await get('/no-such-link', 'go.example.com')).status).toBe(404);
  });

  it.each([
    ['https://shop.example.com/パートナー', 'https://shop.example.com/%E3%83%91%E3%83%BC%E3%83%88%E3%83%8A%E3%83%BC'],
    ['https://münchen.example/hilfe?von=köln#oben', 'https://xn--mnchen-3ya.example/hilfe?von=k%C3%B6ln#oben'],
    ['https://shop.example.com/part\nners', 'https://shop.example.com/partners'],
    ['https:shop.example.com', 'https://shop.example.com/'],
    ['https://shop.example.com/?svc_id=of-its-own&a=%7E', 'https://shop.example.com/?svc_id=of-its-own&a=%7E'],
  ])('leads to %j as browsers read it', async (url, location) => {
    expect((await setDeadLinkUrl(url)).body.deadLinkUrl).toBe(url);
    for (const path of ['/no-such-link', '/']) {
      const { status, headers } = await get(path, 'go.example.com');
      expect([path, status, headers.location]).toEqual([path, 302, location]);
    }
  });
});
