import type { Locator } from 'playwright-core';
import type { Adapter, BackfillRequest, NotRead } from '../../../adapters/contract/adapter.ts';
import { adapters } from '../../../adapters/index.ts';
import { continueReconciliations } from '../../../src/reconciliation/work.ts';
import { addDays, utcDay } from '../../../src/web/parts/time.ts';
import { createEndpoint } from '../../helpers/story.ts';
import { type BrowserApp, createBrowserApp } from './example.ts';
import { openScene, type Scene } from './scene.ts';

/** What the API of the processor answers with: the deliveries of each page, or how the request for it fails. */
export type ApiPage = readonly object[] | Error;

export interface ReconcileScene extends Scene {
  /** The id of the connection to Stripe. */
  stripeId: string;
  /** Replaces what the API answers with from now on. */
  api: { pages: readonly ApiPage[]; notRead: readonly NotRead[] };
  /** Reads one page, or as many as there are, as the server does in the background. */
  work(isOnePage?: boolean): Promise<number>;
  /** Opens the connection to Stripe, or what its address shows with this search. */
  open(search?: string): Promise<void>;
  setToken(accessToken: string | null): Promise<unknown>;
  /** Starts a dry run through the API, of the connection to Stripe by default; returns its id. */
  start(endpointId?: string): Promise<string>;
  button(name: string): Locator;
  /** Waits for a text. */
  shown(text: string): Promise<void>;
}

export const LOOK = 'Look for what is missing';
export const BOOK = 'Book what is missing';
/** Four weeks ago. */
export const DAY = addDays(utcDay(Date.now()), -28);

/** An owner who looks at a connection to Stripe, whose API answers as the test says. */
export async function createReconcileScene(): Promise<ReconcileScene> {
  const api: ReconcileScene['api'] = { pages: [], notRead: [] };
  const example: BrowserApp = await createBrowserApp({
    async adapterFor(processor): Promise<Adapter> {
      const adapter = await adapters[processor]();
      return { ...adapter, backfill: async () => ({ readPage: async (request) => readPage(api, request) }) };
    },
  });
  const { id: stripeId } = await createEndpoint(example.app, 'stripe');
  const scene = await openScene(example);
  const { page } = scene;
  const { call } = example.app;
  return {
    ...scene,
    stripeId,
    api,
    work: (isOnePage = false) => continueReconciliations(example.app.service, isOnePage ? { workMsMax: 0 } : {}),
    async open(search = '') {
      await scene.show(`/connections/${stripeId}${search}`);
      await page.getByRole('heading', { name: 'Reconcile', exact: true }).waitFor();
    },
    setToken: (accessToken) => call('PATCH', `/api/webhook-endpoints/${stripeId}`, { body: { accessToken } }),
    async start(endpointId = stripeId) {
      const body = { since: DAY, dryRun: true };
      const answer = await call('POST', `/api/webhook-endpoints/${endpointId}/reconcile`, { body });
      if (answer.status !== 202) throw new Error(`Not started: ${answer.text}`);
      return answer.body.id;
    },
    button: (name) => page.getByRole('button', { name, exact: true }),
    shown: (text) => page.getByText(text).first().waitFor(),
  };
}

function readPage({ pages, notRead }: ReconcileScene['api'], { cursor }: BackfillRequest) {
  const index = Number(cursor ?? 0);
  const page = pages[index] ?? [];
  if (page instanceof Error) throw page;
  const deliveries = page.map((event) => ({ rawBody: Buffer.from(JSON.stringify(event)), headers: {} }));
  return { deliveries, cursor: index + 1 < pages.length ? String(index + 1) : null, notRead };
}
