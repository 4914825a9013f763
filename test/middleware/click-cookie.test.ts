import { createServer } from 'node:http';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { headerOf } from '../../src/client/click-id.ts';
import {
  type ClickCookieOptions,
  clickCookie,
  clickCookies,
  expressClickCookie,
  withClickCookie,
} from '../../src/middleware/index.ts';
import { listenLocally } from '../helpers/listen-locally.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const EARLIER = 'clk_019dca2fe1307Zq2mVb8Kx4Tn1WsYc3D';
const COOKIE = `svc_id=${CLICK}; Max-Age=7776000; Path=/; SameSite=Lax`;
const CONSENT: ClickCookieOptions['consent'] = (request) => /consent=yes/.test(headerOf(request, 'cookie') ?? '');

describe('the cookie of a visit through a partner link', () => {
  const visit = (url: string, headers: Record<string, string> = {}) => ({ url, headers });

  it.each<[string, string, Record<string, string>, ClickCookieOptions, string | null]>([
    ['lives 90 days on the host', `/?svc_id=${CLICK}`, {}, {}, COOKIE],
    ['finds the click among other parameters', `/lamps?a=1&svc_id=${CLICK}&b=2#top`, {}, {}, COOKIE],
    [
      'is for encrypted connections on an encrypted site',
      `https://shop.example.com/?svc_id=${CLICK}`,
      {},
      {},
      `${COOKIE}; Secure`,
    ],
    ['is so behind a proxy', `/?svc_id=${CLICK}`, { 'x-forwarded-proto': 'https' }, {}, `${COOKIE}; Secure`],
    ['is as the site says', `https://shop.example.com/?svc_id=${CLICK}`, {}, { secure: false }, COOKIE],
    [
      'may be for every host of the site',
      `/?svc_id=${CLICK}`,
      {},
      { domain: 'example.com' },
      `${COOKIE}; Domain=example.com`,
    ],
    ...['example.com', 'www.example.com:8443', 'WWW.Example.com'].map(
      (host): [string, string, Record<string, string>, ClickCookieOptions, string] => [
        `is for the domain on ${host}`,
        `/?svc_id=${CLICK}`,
        { host },
        { domain: 'example.com' },
        `${COOKIE}; Domain=example.com`,
      ],
    ),
    ...['localhost:3000', 'shop-pr-7.preview.app', 'notexample.com', '127.0.0.1'].map(
      (host): [string, string, Record<string, string>, ClickCookieOptions, string] => [
        `stays with ${host}, where a browser would refuse the domain`,
        `/?svc_id=${CLICK}`,
        { host },
        { domain: 'example.com' },
        COOKIE,
      ],
    ),
    [
      'is for the domain behind a proxy that names the host',
      `/?svc_id=${CLICK}`,
      { host: 'app:3000', 'x-forwarded-host': 'shop.example.com, edge' },
      { domain: '.example.com' },
      `${COOKIE}; Domain=.example.com`,
    ],
    [
      'stays with the host of the URL of a fetch request',
      `http://localhost:3000/?svc_id=${CLICK}`,
      {},
      { domain: 'example.com' },
      COOKIE,
    ],
    ['may live shorter', `/?svc_id=${CLICK}`, {}, { cookieDays: 30 }, COOKIE.replace('7776000', '2592000')],
    ['may come in another parameter', `/?click=${CLICK}`, {}, { parameter: 'click' }, COOKIE],
    ['is none without a click', '/?a=1', {}, {}, null],
    ['is none for what is no click', '/?svc_id=made-up', {}, {}, null],
    ['is none for what would add to the header', `/?svc_id=clk_a%0d%0aSet-Cookie:%20a=b`, {}, {}, null],
    ['replaces an earlier click', `/?svc_id=${CLICK}`, { cookie: `svc_id=${EARLIER}` }, {}, COOKIE],
    [
      'is written anew for the same click, as the script’s own may live only a week',
      `/?svc_id=${CLICK}`,
      { cookie: `svc_id=${CLICK}` },
      {},
      COOKIE,
    ],
    [
      'leaves an earlier click with first-click',
      `/?svc_id=${CLICK}`,
      { cookie: `a=b; svc_id=${EARLIER}` },
      { model: 'first-click' },
      null,
    ],
    ...['dnt', 'sec-gpc'].flatMap(
      (header): [string, string, Record<string, string>, ClickCookieOptions, string | null][] => [
        [`is not set against ${header}`, `/?svc_id=${CLICK}`, { [header]: '1' }, { doNotTrack: true }, null],
        [`is set despite ${header} unless told`, `/?svc_id=${CLICK}`, { [header]: '1' }, {}, COOKIE],
        [`is set with ${header} off`, `/?svc_id=${CLICK}`, { [header]: '0' }, { doNotTrack: true }, COOKIE],
      ],
    ),
    ['waits for consent', `/?svc_id=${CLICK}`, {}, { consent: CONSENT }, null],
    ['is set with consent', `/?svc_id=${CLICK}`, { cookie: 'consent=yes' }, { consent: CONSENT }, COOKIE],
    ['is not set for a promise', `/?svc_id=${CLICK}`, {}, { consent: (async () => false) as never }, null],
    [
      'is not set where it is unknown whether there is consent',
      `/?svc_id=${CLICK}`,
      {},
      {
        consent() {
          throw new Error('no dialog');
        },
      },
      null,
    ],
    ['is the first with first-click', `/?svc_id=${CLICK}`, { cookie: 'a=b' }, { model: 'first-click' }, COOKIE],
  ])('%s', (_what, url, headers, options, expected) => {
    expect(clickCookie(visit(url, headers), options)).toBe(expected);
  });

  it('has the further names that code reads, none that is invalid in a header, and respects first-click', () => {
    const options: ClickCookieOptions = { cookieAliases: ['refp_id', 'a;b', 'svc_id'], model: 'first-click' };
    const both = [COOKIE, COOKIE.replace('svc_id', 'refp_id')];
    expect(clickCookies(visit(`/?svc_id=${CLICK}`), options)).toEqual(both);
    expect(clickCookies(visit(`/?svc_id=${EARLIER}`, { cookie: `refp_id=${CLICK}` }), options)).toEqual([COOKIE]);
    expect(clickCookies(visit('/', { cookie: `svc_id=${CLICK}; refp_id=${CLICK}` }), options)).toEqual([]);
    expect(clickCookies(visit('/', { cookie: `refp_id=${CLICK}` }), { ...options, consent: () => false })).toEqual([]);
  });

  it('replaces one that was set before it had a domain', () => {
    const headers = { host: 'shop.example.com', cookie: `svc_id=${EARLIER}` };
    const options = { domain: 'example.com', secure: false };
    const url = `/?svc_id=${CLICK}`;
    // in this order: on localhost, both are the same cookie
    expect(clickCookies({ url, headers }, options)).toEqual([
      'svc_id=; Max-Age=0; Path=/',
      `${COOKIE}; Domain=example.com`,
    ]);
    expect(clickCookies({ url, headers }, { secure: false })).toEqual([COOKIE]);
    expect(clickCookie({ url, headers }, options)).toBe(`${COOKIE}; Domain=example.com`);
  });

  it('never throws, for any request', () => {
    // @ts-expect-error: callers in JavaScript
    expect(clickCookie(undefined)).toBeNull();
    // @ts-expect-error: callers in JavaScript
    expect(clickCookie({ url: 7, headers: null })).toBeNull();
  });
});

describe('in Express', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(handler: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(handler);
    servers.push(server);
    return listenLocally(server);
  }

  it('is added to the answer and keeps the cookies of the shop, even below a mounted path', async () => {
    const app = express();
    const shop = express.Router();
    shop.use(expressClickCookie({ domain: 'example.com' }));
    shop.get('/lamps', (_request, response) => void response.cookie('cart', '1').send('Lamps'));
    app.use('/shop', shop);
    const url = await serve(app);
    const headers = { 'x-forwarded-host': 'shop.example.com' };
    const visited = await fetch(`${url}/shop/lamps?svc_id=${CLICK}`, { headers });
    expect([visited.status, await visited.text()]).toEqual([200, 'Lamps']);
    expect(visited.headers.getSetCookie()).toEqual([`${COOKIE}; Domain=example.com`, 'cart=1; Path=/']);
    expect((await fetch(`${url}/shop/lamps`)).headers.getSetCookie()).toEqual(['cart=1; Path=/']);
  });

  it('is secure when Express trusts its proxy to say so', async () => {
    const app = express().set('trust proxy', true).use(expressClickCookie());
    app.get('/', (_request, response) => void response.send('Lamps'));
    const url = await serve(app);
    const headers = { 'x-forwarded-proto': 'https' };
    expect((await fetch(`${url}/?svc_id=${CLICK}`, { headers })).headers.getSetCookie()).toEqual([`${COOKIE}; Secure`]);
    expect((await fetch(`${url}/?svc_id=${CLICK}`)).headers.getSetCookie()).toEqual([COOKIE]);
  });

  it('is in no cache, whatever headers writeHead gets', async () => {
    const handler = expressClickCookie();
    const cached = { 'Cache-Control': 'public, max-age=600', 'X-Lamp': 'on' };
    for (const given of [cached, Object.entries(cached).flat()]) {
      const url = await serve((request, response) => {
        handler(request, response, () => response.writeHead(200, given as never).end());
      });
      const { headers } = await fetch(`${url}/?svc_id=${CLICK}`);
      expect([headers.get('cache-control'), headers.get('x-lamp')]).toEqual(['private, no-store', 'on']);
      expect((await fetch(url)).headers.get('cache-control')).toBe('public, max-age=600');
    }
  });

  it('does not disturb a server without Express, nor an answer that has started', async () => {
    const handler = expressClickCookie();
    const url = await serve((request, response) => {
      if (request.url?.startsWith('/begun')) response.write('Lamps');
      handler(request, response, () => response.end());
    });
    expect((await fetch(`${url}/?svc_id=${CLICK}`)).headers.getSetCookie()).toEqual([COOKIE]);
    const begun = await fetch(`${url}/begun?svc_id=${CLICK}`);
    expect([await begun.text(), begun.headers.getSetCookie()]).toEqual(['Lamps', []]);
  });
});

describe('around a fetch handler', () => {
  const visit = new Request(`https://shop.example.com/lamps?svc_id=${CLICK}`);

  it('is added to its response, and further arguments are passed on', async () => {
    const handler = withClickCookie((request: Request, env: { name: string }) => {
      return new Response(`${env.name} ${new URL(request.url).pathname}`, {
        status: 201,
        headers: { 'set-cookie': 'cart=1' },
      });
    });
    const response = await handler(visit, { name: 'shop' });
    expect([response.status, await response.text()]).toEqual([201, 'shop /lamps']);
    expect(response.headers.getSetCookie()).toEqual(['cart=1', `${COOKIE}; Secure`]);
  });

  it('is added to a response with immutable headers, unless it cannot be copied either', async () => {
    const redirect = await withClickCookie(() => Response.redirect('https://shop.example.com/en/', 302))(visit);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://shop.example.com/en/']);
    expect(redirect.headers.getSetCookie()).toEqual([`${COOKIE}; Secure`]);
    await expect(withClickCookie(() => Response.error())(visit)).resolves.toHaveProperty('type', 'error');
  });

  it('is not in the next response of a handler that always returns the same one', async () => {
    const gone = new Response(null, { status: 404 });
    const handler = withClickCookie(() => gone);
    expect((await handler(visit)).headers.getSetCookie()).toHaveLength(1);
    expect((await handler(new Request('https://shop.example.com/'))).headers.getSetCookie()).toEqual([]);
  });

  it('leaves other visits alone, and passes on what the handler throws', async () => {
    const answer = new Response('Lamps');
    expect(await withClickCookie(() => answer)(new Request('https://shop.example.com/'))).toBe(answer);
    const failing = withClickCookie(() => Promise.reject(new Error('out of lamps')));
    await expect(failing(visit)).rejects.toThrow('out of lamps');
  });

  it('passes on nothing where the handler returns nothing, as Bun does after an upgrade', async () => {
    const upgrading = withClickCookie(() => undefined as unknown as Response);
    expect(await upgrading(visit)).toBeUndefined();
  });
});
