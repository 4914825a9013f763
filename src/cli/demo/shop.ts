import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Service } from '../../app/service.ts';
import { messageOf } from '../../errors.ts';
import { randomBase62 } from '../../ids.ts';
import { createLink } from '../../links/links.ts';
import { linkInput } from '../../links/schemas.ts';
import { listen } from '../../process/listen.ts';
import { changeProgram } from '../../programs/programs.ts';
import { parseInput } from '../../schema/parse.ts';
import type { FurnishedStage } from './furnish.ts';
import { shopPage, shopPolicy } from './shop-page.ts';

/** A company's own site: it reports what visitors buy, and shows its partner Ana her portal. */
export interface Shop {
  url: string;
  close(): Promise<void>;
}

type ShopStage = Pick<FurnishedStage, 'accountId' | 'programId' | 'apiKey' | 'partnerIds'> & { url: string };

const LINK_KEY = 'ana-shop';
const CLICK_ID = /^clk_\w{1,60}$/;

/** Opens the shop on a free port of 127.0.0.1, allows it to embed the portal, and gives Ana a link that leads to it. */
export async function openShop(service: Service, stage: ShopStage): Promise<Shop> {
  const server = createServer((request, response) => {
    answer(stage, request, response).catch((error: unknown) => {
      response.writeHead(502, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${messageOf(error)}\n`);
    });
  });
  const url = await listen(server, { port: 0, host: '127.0.0.1' });
  const { accountId, programId, partnerIds } = stage;
  await changeProgram(service, accountId, programId, { portal: { allowedOrigins: [url] } });
  const link = { partnerId: partnerIds.ana, url: `${url}/`, key: LINK_KEY };
  await createLink(service, accountId, parseInput(linkInput, link));
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(stage: ShopStage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
  const clickId = clickIdOf(searchParams.get('svc_id') ?? '') ?? clickIdOf(cookieOf(request));
  if (pathname === '/buy' && request.method === 'POST') {
    // a page of another origin must not buy
    if (request.headers['sec-fetch-site'] === 'cross-site') return void response.writeHead(403).end();
    if (clickId !== null) await reportPurchase(stage, clickId);
    return void response.writeHead(303, { Location: clickId === null ? '/' : '/?bought=1' }).end();
  }
  if (pathname !== '/' || request.method !== 'GET') return void response.writeHead(404).end();
  const page = shopPage({
    linkUrl: `${stage.url}/${LINK_KEY}`,
    frameUrl: `${stage.url}/embed/referrals?token=${await createToken(stage)}&dynamicHeight=true`,
    message: messageFor(clickId, searchParams.has('bought')),
    mayBuy: clickId !== null,
  });
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': shopPolicy(stage.url),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(clickId === null ? {} : { 'Set-Cookie': `svc_id=${clickId}; Path=/; HttpOnly; SameSite=Lax; Max-Age=7776000` }),
  });
  response.end(page);
}

function messageFor(clickId: string | null, hasBought: boolean): string {
  if (clickId === null) return 'Nobody sent you here. Follow the link of a partner first.';
  return hasBought ? 'Thank you! Ana has earned 9.80 USD, as you see below.' : 'Welcome! Ana sent you here.';
}

/** What a shop's backend does at sign-up and at payment. */
async function reportPurchase(stage: ShopStage, clickId: string): Promise<void> {
  const customerExternalId = `visitor_${randomBase62(8)}`;
  const person = { clickId, customerExternalId, customerEmail: `${customerExternalId}@example.com` };
  await post(stage, '/api/track/lead', { ...person, eventName: 'Sign up' });
  await post(stage, '/api/track/sale', {
    ...person,
    amount: 4900,
    currency: 'usd',
    invoiceId: `shop-${randomBase62(10)}`,
  });
}

async function createToken(stage: ShopStage): Promise<string> {
  const { publicToken } = await post(stage, '/api/embed/token', { enrollmentId: stage.partnerIds.ana });
  return String(publicToken);
}

async function post({ url, apiKey }: ShopStage, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage): string {
  return /(?:^|; )svc_id=([^;]*)/.exec(cookie)?.[1] ?? '';
}

function clickIdOf(value: string): string | null {
  return CLICK_ID.test(value) ? value : null;
}
