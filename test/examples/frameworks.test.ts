import type { ServerResponse } from 'node:http';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createShop as createExpressShop } from '../../examples/express/app.ts';
import { createShop as createFastifyShop } from '../../examples/fastify/app.ts';
import { createShop as createFetchShop } from '../../examples/fetch/app.ts';
import { createShop as createHonoShop } from '../../examples/hono/app.ts';
import { type Client, createClient } from '../../src/client/index.ts';
import {
  expressClickCookie,
  fastifyClickCookie,
  honoClickCookie,
  setClickCookie,
  withClickCookie,
} from '../../src/middleware/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type LocalServer, serveFetch, serveNode } from '../helpers/serve-fetch.ts';
import { clickThrough } from '../helpers/story.ts';
import { createLink, visit } from '../helpers/visitors.ts';

type Serve = (refbridge: Pick<Client, 'trackLead'>) => Promise<LocalServer>;

const DOMAIN = 'example.com';

/** The example of each framework, served. */
const SHOPS: Record<string, Serve> = {
  express: (refbridge) => serveNode(createExpressShop(refbridge, DOMAIN)),
  async fastify(refbridge) {
    const app = createFastifyShop(refbridge, DOMAIN);
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  },
  hono: (refbridge) => serveFetch(createHonoShop(refbridge, DOMAIN).fetch),
  fetch: (refbridge) => serveFetch(createFetchShop(refbridge, DOMAIN).fetch),
};

/** Further names of the cookie. */
const ALIASES = { cookieAliases: ['refp_id'] };

function serveStored(answer: (response: ServerResponse) => void): Promise<LocalServer> {
  const keepClick = expressClickCookie(ALIASES);
  return serveNode((request, response) =>
    keepClick(request, response, () => {
      answer(response);
      response.end('Lamps');
    }),
  );
}

/** Handlers that let caches store their answer and set their own cookie. */
const STORED: Record<string, () => Promise<LocalServer>> = {
  express() {
    const app = express().use(expressClickCookie(ALIASES));
    app.get(
      '/',
      (_request, response) => void response.set('Cache-Control', 'public').cookie('cart', '1').send('Lamps'),
    );
    return serveNode(app);
  },
  'node, beside the cookies that it finds': () =>
    serveStored((response) => {
      response.setHeader('Set-Cookie', [...[response.getHeader('set-cookie') ?? []].flat().map(String), 'cart=1']);
      response.writeHead(200, 'Fine', { 'cache-control': 'public' });
    }),
  'node, in place of all cookies': () =>
    serveStored((response) => {
      response.setHeader('Set-Cookie', 'cart=1').setHeader('Cache-Control', 'public');
    }),
  'node, with writeHead': () =>
    serveStored((response) => response.writeHead(200, { 'set-cookie': ['cart=1'], 'cache-control': 'public' })),
  'node, with a list of headers': () =>
    serveStored((response) => response.writeHead(200, ['Set-Cookie', 'cart=1', 'Cache-Control', 'public'])),
  async fastify() {
    const app = fastify();
    app.register(fastifyClickCookie, ALIASES);
    app.get('/', (_request, reply) =>
      reply.header('Cache-Control', 'public').header('Set-Cookie', 'cart=1').send('Lamps'),
    );
    return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
  },
  hono() {
    const app = new Hono().use(honoClickCookie(ALIASES));
    app.get('/', (c) => c.text('Lamps', 200, { 'Cache-Control': 'public', 'Set-Cookie': 'cart=1' }));
    return serveFetch(app.fetch);
  },
  fetch: () =>
    serveFetch(
      withClickCookie(
        () => new Response('Lamps', { headers: { 'Cache-Control': 'public', 'Set-Cookie': 'cart=1' } }),
        ALIASES,
      ),
    ),
  'a response': () =>
    serveFetch((request) => {
      const headers = { 'Cache-Control': 'public', 'Set-Cookie': 'cart=1' };
      return setClickCookie(request, new Response('Lamps', { headers }), ALIASES);
    }),
};

let app: TestApp;
let clickId: string;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  const link = await createLink(app);
  clickId = await clickThrough(() => visit(app, `/${link.key}`));
});
afterAll(() => app.close());

describe.each(Object.entries(SHOPS))('the example with %s', (name, serve) => {
  let shop: LocalServer;
  beforeAll(async () => {
    shop = await serve(createClient({ baseUrl: app.url, apiKey: app.apiKey, timeoutMs: 20_000 }));
  });
  afterAll(() => shop.close());

  it('keeps the click of a visit, and no cache stores the answer', async () => {
    const response = await fetch(`${shop.url}/?svc_id=${clickId}`);
    expect([response.status, await response.text()]).toEqual([200, 'Lamps']);
    // without a domain, which the browser would refuse on this host
    expect(response.headers.getSetCookie()).toEqual([`svc_id=${clickId}; Max-Age=7776000; Path=/; SameSite=Lax`]);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });

  it('sets the cookie for every host of the site', async () => {
    const headers = { 'x-forwarded-host': 'shop.example.com', 'x-forwarded-proto': 'https' };
    const response = await fetch(`${shop.url}/?svc_id=${clickId}`, { headers });
    expect(response.headers.getSetCookie()[0]).toMatch(/; Domain=example\.com; Secure$/);
  });

  it('leaves other visits alone', async () => {
    const response = await fetch(`${shop.url}/?utm_source=letter`);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  it('reports the lead of a sign-up from the cookie', async () => {
    const signUp = (userId: string, cookie: string) =>
      fetch(`${shop.url}/sign-up`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie },
        body: JSON.stringify({ userId }),
      }).then((response) => response.json());
    expect(await signUp(`${name}-1`, `theme=dark; svc_id=${clickId}`)).toEqual({ lead: 'recorded' });
    expect(await signUp(`${name}-2`, 'theme=dark')).toEqual({ lead: 'skipped' });
    const { body } = await app.call('GET', `/api/customers/${name}-1`);
    expect(body.clickId).toBe(clickId);
  });
});

describe.each(Object.entries(STORED))('a handler of %s that lets caches store its answer', (_name, serve) => {
  it('keeps the cookie, and does not let them store it', async () => {
    const shop = await serve();
    try {
      const visited = await fetch(`${shop.url}/?svc_id=${clickId}`);
      expect(visited.headers.get('cache-control')).toBe('private, no-store');
      const cookies = visited.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
      expect(cookies.sort()).toEqual(['cart=1', `refp_id=${clickId}`, `svc_id=${clickId}`]);
      const known = await fetch(`${shop.url}/`, { headers: { cookie: `refp_id=${clickId}` } });
      const missing = known.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
      expect(missing.sort()).toEqual(['cart=1', `svc_id=${clickId}`]);
      const other = await fetch(`${shop.url}/`);
      expect([other.headers.get('cache-control'), other.headers.getSetCookie()[0]?.split(';')[0]]).toEqual([
        'public',
        'cart=1',
      ]);
    } finally {
      await shop.close();
    }
  });
});
