import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endSilentListeners } from '../../src/events/listeners.ts';
import { deleteOldEvents } from '../../src/events/retention.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const HOUR_MS = 3_600_000;

describe.each(engines)('an event listener on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let later = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.now() + later } });
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  const listen = async (types = ['sale.created']) =>
    (await app.call('POST', '/api/event-listeners', { body: { types } })).body.id as string;
  const fetchEvents = (id: string, received: string[] = []) =>
    app.call('POST', `/api/event-listeners/${id}/fetch`, { body: { received } });

  it('receives each event until it confirms it, in order, and no earlier events', async () => {
    await sell(app, referrer);
    const id = await listen();
    const sales = [await sell(app, referrer), await sell(app, referrer), await sell(app, referrer)];
    const first = (await fetchEvents(id)).body.data;
    expect(first.map(({ body }: { body: string }) => JSON.parse(body).data.id)).toEqual(sales);
    // the answer was lost
    expect((await fetchEvents(id)).body.data).toEqual(first);
    expect((await fetchEvents(id, [first[0].id, first[1].id])).body.data).toEqual([first[2]]);
    expect((await fetchEvents(id, [first[0].id, first[2].id, 'evt_none'])).body.data).toEqual([]);
    expect((await app.call('DELETE', `/api/event-listeners/${id}`)).status).toBe(204);
    expect((await fetchEvents(id)).status).toBe(404);
    expect((await app.call('GET', '/api/event-endpoints')).body.data).toEqual([]);
  });

  it('ends by itself an hour after its last fetch, and is not shared with anybody', async () => {
    const id = await listen();
    const other = await app.addAccount('Other Ltd');
    const path = `/api/event-listeners/${id}/fetch`;
    expect((await app.call('POST', path, { key: other.apiKey, body: {} })).status).toBe(404);
    later += HOUR_MS - 60_000;
    expect(await endSilentListeners(app.service)).toBe(0);
    expect((await fetchEvents(id)).status).toBe(200);
    later += HOUR_MS - 60_000;
    expect(await endSilentListeners(app.service)).toBe(0);
    later += 120_000;
    expect(await endSilentListeners(app.service)).toBe(1);
    expect((await fetchEvents(id)).status).toBe(404);
  });

  it('like every endpoint, gets nothing that is older than the retention time', async () => {
    const id = await listen();
    await sell(app, referrer);
    // ids contain the real time, which is a few hours behind
    later += 29 * 24 * HOUR_MS;
    expect(await deleteOldEvents(app.service)).toBe(0);
    expect((await fetchEvents(id)).body.data.length).toBe(1);
    const before = (await app.call('GET', '/api/events?limit=100')).body.data.length;
    later += 2 * 24 * HOUR_MS;
    expect(await deleteOldEvents(app.service)).toBe(before);
    expect((await fetchEvents(id)).body.data).toEqual([]);
    expect((await app.call('GET', '/api/events')).body.data).toEqual([]);
  });

  it.each([
    ['20 endpoints', '/api/event-endpoints', { url: 'https://example.com/hook' }],
    ['10 listeners', '/api/event-listeners', {}],
  ])('is refused beyond %s of the account, also when all are created at once', async (most, path, body) => {
    const { apiKey: key } = await app.addAccount('Busy Ltd');
    const created = await Promise.all(Array.from({ length: 24 }, () => app.call('POST', path, { key, body })));
    expect(Object.groupBy(created, ({ status }) => status)[201]).toHaveLength(Number.parseInt(most, 10));
  });
});
