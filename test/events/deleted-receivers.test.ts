import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { deleteEventEndpoint } from '../../src/events/endpoints.ts';
import { deleteListener } from '../../src/events/listeners.ts';
import { deleteOldEvents } from '../../src/events/retention.ts';
import { createId } from '../../src/ids.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const COUNT = 1_200;
const DELETED_PER_UNIT_MAX = 500;

describe.each(engines)('a receiver of events for whom many wait is deleted, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const waiting = (tx: Transaction, endpointId: string) =>
    tx.all('SELECT event_id FROM event_deliveries WHERE endpoint_id = @endpointId', { endpointId });

  async function create(path: string, body: object): Promise<string> {
    const { id } = (await app.call('POST', path, { body })).body;
    await app.service.database.write(async (tx) => {
      for (let n = 0; n < COUNT; n += 1) {
        await tx.run(
          `INSERT INTO event_deliveries (endpoint_id, event_id, account_id, status, attempts, tries, next_attempt_at, occurred_at)
           VALUES (@id, @eventId, @accountId, 'waiting', 0, 0, 1, 1)`,
          { id, eventId: createId('evt'), accountId: app.accountId },
        );
      }
    });
    return id;
  }

  /** The service, and how many rows each of its units of work has deleted for this receiver. */
  function counting(id: string): { service: Service; deleted: number[] } {
    const deleted: number[] = [];
    const { database } = app.service;
    const service = createService({
      ...app.service,
      database: {
        ...database,
        write: (unit, options) =>
          database.write(async (tx) => {
            const before = (await waiting(tx, id)).length;
            const result = await unit(tx);
            deleted.push(before - (await waiting(tx, id)).length);
            return result;
          }, options),
      },
    });
    return { service, deleted };
  }

  it('a listener: in slices, so that other requests go on', async () => {
    const id = await create('/api/event-listeners', { types: ['sale.created'] });
    const { service, deleted } = counting(id);
    await deleteListener(service, app.accountId, id);
    expect(Math.max(...deleted)).toBe(DELETED_PER_UNIT_MAX);
    expect(await app.service.database.read((tx) => waiting(tx, id))).toEqual([]);
    await expect(deleteListener(app.service, app.accountId, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('an endpoint: not at once, but with the events', async () => {
    const id = await create('/api/event-endpoints', { url: 'https://hooks.example.com/', types: ['sale.created'] });
    const { service, deleted } = counting(id);
    await deleteEventEndpoint(service, app.accountId, id);
    expect(deleted).toEqual([0]);
    const inAMonth = () => Date.now() + 31 * DAY_MS;
    await deleteOldEvents(createService({ ...app.service, clock: inAMonth }));
    expect(await app.service.database.read((tx) => waiting(tx, id))).toEqual([]);
  });

  it('an endpoint: what waits for it is no longer listed', async () => {
    const endpoint = { url: 'https://hooks.example.com/', types: ['sale.created'] };
    const { id } = (await app.call('POST', '/api/event-endpoints', { body: endpoint })).body;
    await app.call('POST', `/api/event-endpoints/${id}/test`);
    const list = async (filter: string) => (await app.call('GET', `/api/events?endpointId=${id}${filter}`)).body.data;
    expect(await list('&status=waiting')).toHaveLength(1);
    await deleteEventEndpoint(app.service, app.accountId, id);
    expect(await list('&status=waiting')).toEqual([]);
    expect(await list('')).toEqual([]);
  });
});
