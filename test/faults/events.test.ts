import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEventReceiver, type EventReceiver, verifyEvent } from '../helpers/event-receiver.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { rounds } from '../helpers/rounds.ts';
import { startServing } from '../helpers/serving-process.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

/** Longer than a killed process keeps its endpoints, and than their pauses after failures, and not too far ahead. */
const LATER_MS = 45_000;
const ROUNDS = rounds(6);
const CONNECTIONS = 8;
const SALES_PER_ROUND = 40;
/** In CI more than an endpoint is sent in one turn, so that it needs another beside those that hang. */
const SALES_BESIDE_EVENTS = Math.max(rounds(400), 200);

describe.each(engines)('events of a server on %s', (engine) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let referrer: Referrer;
  let secret: string;
  beforeEach(async () => {
    app = await createTestApp(engine);
    receiver = await createEventReceiver();
    referrer = await createReferrer(app);
    const body = { url: receiver.url, types: ['sale.created'] };
    secret = (await app.call('POST', '/api/event-endpoints', { body })).body.secret;
  });
  afterEach(async () => {
    await app.close();
    await receiver.close();
  });

  /** Reports sales until this many are acknowledged or the server is gone; returns their number per second of own time. */
  async function report(url: string, clickId: string, count: number, acknowledge: (saleId: string) => void) {
    const ownMs = await startOwnTime();
    let left = count;
    const oneByOne = async () => {
      while (left > 0) {
        left -= 1;
        const body = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId: unique('in') };
        try {
          const answer = await call(`${url}/api/track/sale`, 'POST', { key: app.apiKey, body });
          if (answer.status === 200) acknowledge(answer.body.sale.id);
        } catch (error) {
          // fetch throws this when the connection ends before its answer
          if (error instanceof TypeError) return;
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, oneByOne));
    return count / (ownMs() / 1_000);
  }
  const storedSales = () =>
    app.service.database.read((tx) => tx.all<{ id: string }>('SELECT s.id FROM sales s ORDER BY s.id'));
  const told = () => receiver.received.map(({ event }) => String(event.data.id));

  it('are sent exactly for the sales that were stored, each at least once, although it is killed again and again', async () => {
    const clickId = await referrer.lead('payer');
    // slow and sometimes cut off, so that a kill finds an event under way
    let count = 0;
    receiver.answer = (request, response) => {
      count += 1;
      if (count % 7 === 0) return void request.socket.destroy();
      setTimeout(() => response.writeHead(204).end(), 10);
    };
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const serving = await startServing(app.databaseUrl, round * LATER_MS);
      const enough = Promise.withResolvers<void>();
      const before = acknowledged.length;
      const traffic = report(serving.url, clickId, SALES_PER_ROUND * 3, (id) => {
        acknowledged.push(id);
        if (acknowledged.length - before > SALES_PER_ROUND) enough.resolve();
      });
      await enough.promise;
      await sleep(randomInt(600));
      await serving.kill();
      await traffic;
    }
    // no more failures, and the pauses of the endpoint end
    receiver.answer = (_, response) => response.writeHead(204).end();
    const last = await startServing(app.databaseUrl, ROUNDS * LATER_MS);
    const sales = (await storedSales()).map(({ id }) => id);
    const waiting = async () => {
      const [row] = await app.service.database.read((tx) =>
        tx.all<{ count: number }>(`SELECT COUNT(*) AS count FROM event_deliveries WHERE status = 'waiting'`),
      );
      return row?.count ?? 0;
    };
    await expect.poll(waiting, { timeout: 120_000, interval: 200 }).toBe(0);
    await last.kill();
    expect(acknowledged.length).toBeGreaterThan(ROUNDS * SALES_PER_ROUND);
    expect(acknowledged.filter((id) => !sales.includes(id))).toEqual([]);
    expect([...new Set(told())].sort()).toEqual(sales);
    expect(receiver.ids().length).toBe(sales.length);
    for (const event of receiver.received.slice(-20)) verifyEvent(secret, event);
  });

  it('that hang slow down neither sales nor other endpoints', async () => {
    const clickId = await referrer.lead('payer');
    const hanging = await createEventReceiver();
    hanging.answer = () => {};
    const serving = await startServing(app.databaseUrl);
    try {
      const without = await report(serving.url, clickId, SALES_BESIDE_EVENTS, () => {});
      // a sale that was answered 503 may still be stored
      await receiver.arrived((await storedSales()).length);
      for (let number = 0; number < 12; number += 1) {
        const body = { url: hanging.url, types: ['sale.created'] };
        expect((await call(`${serving.url}/api/event-endpoints`, 'POST', { key: app.apiKey, body })).status).toBe(201);
      }
      const withHanging = await report(serving.url, clickId, SALES_BESIDE_EVENTS, () => {});
      await hanging.arrived(12);
      const sales = (await storedSales()).map(({ id }) => id);
      await receiver.arrived(sales.length);
      const figures = `${Math.round(without)} sales/s with 1 endpoint, ${Math.round(withHanging)} with 12 more that hang`;
      process.stderr.write(`${engine}: ${figures}
`);
      expect(sales.length).toBeGreaterThan(1.75 * SALES_BESIDE_EVENTS);
      expect([...new Set(told())].sort()).toEqual(sales);
      // each sale also stores a row for each of thirteen endpoints; waiting for any of them would take 15 s
      expect(withHanging).toBeGreaterThan(without / 10);
      const { body } = await call(`${serving.url}/api/event-endpoints?limit=100`, 'GET', { key: app.apiKey });
      expect(body.data.filter(({ enabled }: { enabled: boolean }) => enabled).length).toBe(13);
      expect(hanging.atOnceMax()).toBeLessThanOrEqual(12);
    } finally {
      await serving.kill();
      await hanging.close();
    }
  });
});
