import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { ServiceError } from '../../src/errors.ts';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { engines } from '../helpers/databases.ts';
import { listAll } from '../helpers/list-all.ts';
import { unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, write } from './stage.ts';

const MINUTE_MS = 60_000;

describe.each(engines)('a reconciliation that is interrupted, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());
  beforeEach(() => {
    stage.clock.aheadMs = 0;
  });

  /** Five payments of different customers, on three pages. */
  async function fiveMissing(): Promise<string[]> {
    const payers = [1, 2, 3, 4, 5].map(() => unique('user'));
    for (const payer of payers) await stage.referrer.lead(payer);
    write(stage.past, ...payers.map((externalId) => checkoutCompleted({ externalId })));
    return payers;
  }
  const work = () => continueReconciliations(stage.app.service);
  const salesOf = async (payers: readonly string[]) => {
    const sales = (await listAll(stage.app, '/api/sales')) as { customer: { externalId: string } }[];
    return payers.map((payer) => sales.filter(({ customer }) => customer.externalId === payer).length);
  };

  it('waits as long as the API asks for, says why, and goes on at the same page', async () => {
    const payers = await fiveMissing();
    const { past, clock } = stage;
    past.before = ({ cursor }) => {
      if (cursor === '2' && past.requests.length === 2) {
        throw new ServiceError('UNAVAILABLE', 'Stripe did not answer: status 429', { retryAfterSeconds: 90 });
      }
    };
    const { id } = (await stage.begin()).body;
    await work();
    expect(await stage.get(id)).toMatchObject({
      status: 'waiting',
      error: 'Stripe did not answer: status 429',
      counts: { read: 2, sales: 2 },
    });
    clock.aheadMs = 89_000;
    expect(await work()).toBe(0);
    clock.aheadMs = 91_000;
    await work();
    expect(await stage.get(id)).toMatchObject({ status: 'completed', error: null, counts: { read: 5, sales: 5 } });
    expect(past.requests.map(({ cursor }) => cursor)).toEqual([null, '2', '2', '4']);
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('does not give up within an hour when the API asks for no pause, or a short one', async () => {
    const payers = await fiveMissing();
    const { past, clock } = stage;
    past.before = () => {
      const retryAfterSeconds = past.requests.length % 2;
      throw new ServiceError('UNAVAILABLE', 'Stripe did not answer: status 503', { retryAfterSeconds });
    };
    const { id } = (await stage.begin()).body;
    for (let minute = 0; minute < 60; minute += 1) {
      clock.aheadMs = minute * MINUTE_MS;
      await work();
    }
    expect(await stage.get(id)).toMatchObject({ status: 'waiting', endedAt: null });
    past.before = () => undefined;
    clock.aheadMs = 66 * MINUTE_MS;
    await work();
    expect(await stage.get(id)).toMatchObject({ status: 'completed', counts: { read: 5, sales: 5 } });
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('ends after twenty failures in a row, with the last one', async () => {
    await fiveMissing();
    const { past, clock } = stage;
    past.before = () => {
      throw new ServiceError('UNAVAILABLE', `failure ${past.requests.length}`);
    };
    const { id } = (await stage.begin()).body;
    for (let attempt = 0; attempt < 40; attempt += 1) {
      await work();
      clock.aheadMs += 5 * MINUTE_MS;
    }
    expect(past.requests).toHaveLength(20);
    expect(await stage.get(id)).toMatchObject({ status: 'failed', error: 'failure 20', counts: { read: 0 } });
  });

  it.each([
    [new ServiceError('VALIDATION_ERROR', 'Stripe refused the access token'), 'Stripe refused the access token'],
    [new TypeError('secret detail'), /^A bug stopped it: look for rec_\w+ in the log/],
  ])('ends at once for what no later attempt can change: %s', async (thrown, error) => {
    await fiveMissing();
    stage.past.before = () => {
      throw thrown;
    };
    const { id } = (await stage.begin()).body;
    await work();
    const told = typeof error === 'string' ? error : expect.stringMatching(error);
    expect(await stage.get(id)).toMatchObject({ status: 'failed', error: told, endedAt: expect.any(String) });
    expect((await stage.begin()).status).toBe(202);
    stage.past.before = () => undefined;
    await work();
  });

  it('fails when the API answers with the same page again', async () => {
    write(stage.past, ...[1, 2, 3].map(() => checkoutCompleted({ externalId: null })));
    const { past } = stage;
    past.before = ({ cursor }) => {
      if (cursor === '2') past.pageSize = 0;
    };
    const { id } = (await stage.begin()).body;
    await work();
    expect(await stage.get(id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/lists the same pages again and again.* Check apiUrl/),
    });
  });

  it('is continued where a process stopped, and counts everything once', async () => {
    const payers = await fiveMissing();
    const { past, app } = stage;
    const { id } = (await stage.begin()).body;
    past.before = ({ cursor }) => {
      app.lifecycle.draining = cursor === '2';
    };
    await work();
    expect(await stage.get(id)).toMatchObject({ status: 'waiting', error: null, counts: { read: 2, sales: 2 } });
    app.lifecycle.draining = false;
    past.before = () => undefined;
    await work();
    expect(await stage.get(id)).toMatchObject({ status: 'completed', counts: { read: 5, known: 0, sales: 5 } });
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('is taken over from a process that was killed in the middle of a page, and counts everything once', async () => {
    const payers = await fiveMissing();
    const { past, app, clock } = stage;
    past.pageSize = 5;
    // stores two of the page, then never answers again
    const { database } = app.service;
    let units = 0;
    const dying = createService({
      ...app.service,
      database: {
        ...database,
        write: async (unit, options) => {
          units += 1;
          // the lease, two deliveries, then nothing
          if (units > 3) await new Promise(() => undefined);
          return database.write(unit, options);
        },
      },
    });
    const { id } = (await stage.begin()).body;
    void continueReconciliations(dying);
    await expect.poll(async () => (await stage.get(id)).counts.sales, { timeout: 10_000 }).toBe(2);
    expect(await work()).toBe(0);
    clock.aheadMs = 30_000;
    await work();
    const run = await stage.get(id);
    expect(run).toMatchObject({ status: 'completed', counts: { read: 5, known: 0, sales: 5 } });
    expect(run.missing).toHaveLength(5);
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('counts once what two processes read at the same time', async () => {
    const payers = await fiveMissing();
    const { app } = stage;
    const { id } = (await stage.begin()).body;
    const others = [1, 2, 3].map(() => createService(app.service));
    await Promise.all(others.map((service) => continueReconciliations(service)));
    await work();
    expect(await stage.get(id)).toMatchObject({ status: 'completed', counts: { read: 5, known: 0, sales: 5 } });
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('ends when it is canceled, also in the middle of a page, and keeps what it stored', async () => {
    const payers = await fiveMissing();
    const { past, app } = stage;
    const { id } = (await stage.begin()).body;
    const cancel = () => app.call('POST', `/api/reconciliations/${id}/cancel`, { body: {} });
    past.before = async ({ cursor }) => {
      if (cursor === '2') expect((await cancel()).body).toMatchObject({ status: 'canceled', counts: { sales: 2 } });
    };
    await work();
    const run = await stage.get(id);
    const { sales } = run.counts;
    expect(run).toMatchObject({
      status: 'canceled',
      error: null,
      counts: { read: sales },
      endedAt: expect.any(String),
    });
    expect(past.requests).toHaveLength(2);
    expect((await cancel()).body.error).toMatchObject({
      code: 'INVALID_STATE',
      message: `The reconciliation ${id} has ended (canceled): there is nothing to cancel`,
    });
    past.before = () => undefined;
    expect(await stage.reconcile()).toMatchObject({ status: 'completed' });
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('goes on although a clock was a day ahead when it was leased or postponed', async () => {
    const payers = await fiveMissing();
    const { past, clock } = stage;
    const { id } = (await stage.begin()).body;
    past.before = () => {
      throw new ServiceError('UNAVAILABLE', 'not now');
    };
    clock.aheadMs = 24 * 60 * MINUTE_MS;
    await work();
    past.before = () => undefined;
    clock.aheadMs = 0;
    await work();
    expect(await stage.get(id)).toMatchObject({ status: 'completed', counts: { sales: 5 } });
    expect(await salesOf(payers)).toEqual([1, 1, 1, 1, 1]);
  });

  it('fails when its endpoint is deleted meanwhile', async () => {
    await fiveMissing();
    const { app, past } = stage;
    const body = { processor: 'stripe', accessToken: 'rk_live_other' };
    const other = (await app.call('POST', '/api/webhook-endpoints', { body })).body.id;
    const path = `/api/webhook-endpoints/${other}`;
    const { id } = (await app.call('POST', `${path}/reconcile`, { body: { since: '2026-01-01' } })).body;
    await app.call('DELETE', path);
    await work();
    expect(await stage.get(id)).toMatchObject({
      status: 'failed',
      error: `No webhook endpoint "${other}" in this account`,
    });
    expect(past.requests).toEqual([]);
    await sleep(0);
  });
});
