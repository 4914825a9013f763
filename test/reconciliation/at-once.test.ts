import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { createLocalApi } from '../../src/cli/api/local-api.ts';
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
    const working = continueReconciliations(one.service);
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
    await continueReconciliations(one.service);
    const order = past.requests.map(({ accessToken }) => accessToken);
    expect(order).toHaveLength(27);
    // its three pages, one after the other, while the account of eight has two places
    expect(order.lastIndexOf('rk_live_single')).toBeLessThan(12);
  });

  it('are never more than six', async () => {
    const apps = await Promise.all(Array.from({ length: 8 }, () => many.addApp()));
    let [open, openMax] = [0, 0];
    const { promise: sixOpen, resolve } = Promise.withResolvers<void>();
    past.before = async () => {
      open += 1;
      openMax = Math.max(openMax, open);
      if (open === 6) resolve();
      await sixOpen;
      await sleep(200);
      open -= 1;
    };
    for (const app of apps) await begin(app, 'rk_live_one');
    const [{ service }] = apps as [TestApp];
    expect(await continueReconciliations(service)).toBe(24);
    expect(openMax).toBe(6);
  });

  it('of another account are not read by a command that works without a server', async () => {
    const [one, other] = [await many.addApp(), await many.addApp()];
    const ids = await begin(one, 'rk_live_one');
    const otherIds = await begin(other, 'rk_live_other');
    const local = createLocalApi(one.service, one.accountId);
    for (const _page of [1, 2, 3]) await local.finish('reconcile');
    expect([await statusesOf(one, ids), await statusesOf(other, otherIds)]).toEqual([['completed'], ['waiting']]);
    expect(await continueReconciliations(one.service)).toBe(3);
  });

  it('begin no page after their time, however many wait', async () => {
    const app = await many.addApp();
    past.before = async () => void (await sleep(100));
    const ids = await begin(app, 'rk_live_one', 'rk_live_two', 'rk_live_three');
    const pages: number[] = [];
    for (;;) {
      const count = await continueReconciliations(app.service, { workMsMax: 50 });
      if (count === 0) break;
      pages.push(count);
    }
    expect(Math.max(...pages)).toBeLessThanOrEqual(2);
    expect(pages.reduce((sum, count) => sum + count)).toBe(9);
    expect(await continueReconciliations(app.service, { workMsMax: 0 })).toBe(0);
    expect(await statusesOf(app, ids)).toEqual(Array(3).fill('completed'));
  });

  it('are logged one by one when the database fails', async () => {
    const app = await many.addApp();
    const { promise: bothAsked, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    past.before = async () => {
      asked += 1;
      if (asked === 2) resolve();
      await bothAsked;
    };
    const ids = await begin(app, 'rk_live_one', 'rk_live_two');
    const error = vi.fn();
    const { database } = app.service;
    const failing = createService({
      ...app.service,
      log: Object.assign(Object.create(app.service.log), { error }),
      database: {
        ...database,
        write: (unit, options) => (asked < 2 ? database.write(unit, options) : Promise.reject(new Error('disk full'))),
      },
    });
    await expect(continueReconciliations(failing)).rejects.toThrow('disk full');
    const logged = error.mock.calls.map(([about]) => about);
    expect(logged.map(({ reconciliationId }) => reconciliationId).sort()).toEqual(ids.toSorted());
    expect(logged).toMatchObject(Array(2).fill({ accountId: app.accountId, err: { message: 'disk full' } }));
    for (const id of ids) await app.call('POST', `/api/reconciliations/${id}/cancel`, { body: {} });
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
    await continueReconciliations(app.service);
    expect(await statusesOf(app, ids)).toEqual(['completed', 'completed']);
  });
});
