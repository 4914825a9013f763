import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { createPast, type Past } from './past.ts';
import { since, write } from './stage.ts';

const SLOW = 'rk_live_slow';

describe.each(engines)('reconciliations of several accounts, on %s,', (engine) => {
  let many: AppOfMany;
  let past: Past;
  beforeAll(async () => {
    past = await createPast();
    many = await createAppOfMany(engine, { service: { adapterFor: past.adapterFor } });
  });
  afterAll(() => many.close());
  beforeEach(() => write(past, ...[1, 2, 3, 4, 5, 6].map(() => checkoutCompleted({ externalId: null }))));

  /** Starts one for each access token, in an account; returns their ids. */
  async function begin(app: TestApp, ...accessTokens: string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const accessToken of accessTokens) {
      const { id } = await createEndpoint(app, 'stripe', { accessToken });
      const body = { since: since() };
      ids.push((await app.call('POST', `/api/webhook-endpoints/${id}/reconcile`, { body })).body.id);
    }
    return ids;
  }
  const statusesOf = (app: TestApp, ids: readonly string[]) =>
    Promise.all(ids.map(async (id) => (await app.call('GET', `/api/reconciliations/${id}`)).body.status));

  it('do not wait for the slow API of another account, of which two are read at once', async () => {
    const [one, other] = [await many.addApp(), await many.addApp()];
    const released = Promise.withResolvers<void>();
    let [slow, slowMax] = [0, 0];
    past.before = async ({ accessToken }) => {
      if (accessToken !== SLOW) return;
      slow += 1;
      slowMax = Math.max(slowMax, slow);
      await released.promise;
      slow -= 1;
    };
    const slowIds = await begin(one, SLOW, SLOW, SLOW, SLOW);
    const working = continueReconciliations(one.service, 60_000);
    await expect.poll(() => slow, { timeout: 20_000 }).toBe(2);
    const fastIds = await begin(other, 'rk_live_fast');
    await expect.poll(() => statusesOf(other, fastIds), { timeout: 20_000 }).toEqual(['completed']);
    expect(await statusesOf(one, slowIds)).toEqual(['running', 'running', 'waiting', 'waiting']);
    released.resolve();
    await working;
    expect(await statusesOf(one, slowIds)).toEqual(Array(4).fill('completed'));
    expect(slowMax).toBe(2);
  });

  it('take turns by account, however many one account has', async () => {
    const [one, other] = [await many.addApp(), await many.addApp()];
    past.before = async () => void (await sleep(20));
    await begin(one, ...Array(8).fill('rk_live_many'));
    await begin(other, 'rk_live_single');
    await continueReconciliations(one.service, 60_000);
    const order = past.requests.map(({ accessToken }) => accessToken);
    expect(order).toHaveLength(27);
    // its three pages, one after the other, while the account of eight has two places
    expect(order.lastIndexOf('rk_live_single')).toBeLessThan(12);
  });

  it('are never more than six', async () => {
    const apps = await Promise.all(Array.from({ length: 8 }, () => many.addApp()));
    let [open, openMax] = [0, 0];
    past.before = async () => {
      open += 1;
      openMax = Math.max(openMax, open);
      await sleep(200);
      open -= 1;
    };
    for (const app of apps) await begin(app, 'rk_live_one');
    const [{ service }] = apps as [TestApp];
    expect(await continueReconciliations(service, 60_000)).toBe(24);
    expect(openMax).toBe(6);
  });

  it('end within a second when the process stops', async () => {
    const app = await many.addApp();
    past.before = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    const ids = await begin(app, SLOW, SLOW);
    const working = continueReconciliations(app.service);
    await expect.poll(() => past.requests.length, { timeout: 20_000 }).toBe(2);
    app.lifecycle.draining = true;
    const began = performance.now();
    await working;
    app.lifecycle.draining = false;
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await statusesOf(app, ids)).toEqual(['waiting', 'waiting']);
    past.before = () => undefined;
    await continueReconciliations(app.service, 60_000);
    expect(await statusesOf(app, ids)).toEqual(['completed', 'completed']);
  });
});
