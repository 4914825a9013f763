import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../src/app/service.ts';
import type { AccountId, EventEndpointId } from '../../src/core/ids.ts';
import { recordEvent } from '../../src/events/record.ts';
import { resendEvent, resendRange } from '../../src/events/resend.ts';
import { deleteOldEvents } from '../../src/events/retention.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const DAY_MS = 24 * 3_600_000;

describe.each(engines)('the deletion of old events on %s', (engine) => {
  let app: TestApp;
  let endpointId: EventEndpointId;
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    app = await createTestApp(engine, {
      log: pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) }),
    });
    endpointId = await subscribe(app.apiKey);
  });
  beforeEach(() => record(app.accountId));
  afterAll(() => app.close());

  const subscribe = async (key: string) => {
    const body = { url: 'https://hooks.example.com/refbridge', types: ['sale.created'] };
    return (await app.call('POST', '/api/event-endpoints', { key, body })).body.id as EventEndpointId;
  };
  const record = (accountId: AccountId) =>
    app.service.database.write((tx) =>
      recordEvent(tx, { accountId, type: 'sale.created', occurredAt: Date.now(), data: () => ({}) }),
    );
  const withDatabase = (database: Partial<Database>) =>
    createService({ ...app.service, database: { ...app.service.database, ...database } });
  /** Deletes every event. */
  const deleteAll = (service: Service = app.service) =>
    deleteOldEvents(createService({ ...service, clock: () => Date.now() + 31 * DAY_MS }));
  const ids = (table: string, column: string, accountId = app.accountId) =>
    app.service.database.read(async (tx) => {
      const rows = await tx.all<{ id: string }>(
        `SELECT t.${column} AS id FROM ${table} t WHERE t.account_id = @accountId`,
        { accountId },
      );
      return rows.map(({ id }) => id);
    });
  const period = { since: Date.now() - DAY_MS, until: null };

  it('leaves nothing to send when the events are to be sent again at that moment', async () => {
    let deleted = 0;
    const { report } = app.service.database;
    const racing = withDatabase({
      async report(unit, options) {
        const found = await report(unit, options);
        if (Array.isArray(found) && deleted === 0) deleted = await deleteAll();
        return found;
      },
    });
    expect(await resendRange(racing, app.accountId, endpointId, period)).toEqual({ count: 0 });
    expect(deleted).toBe(1);
    expect(await ids('event_deliveries', 'event_id')).toEqual([]);
  });

  // SQLite runs one unit after the other
  if (engine === 'postgres')
    describe('beside a unit that sends events again', () => {
      /** A service whose units do this after they have claimed, and this before they end. */
      const withinUnits = (steps: { afterClaim?(): Promise<unknown>; beforeEnd?(): Promise<unknown> }) =>
        withDatabase({
          write: (unit) =>
            app.service.database.write(
              async (tx) => {
                const claim: Transaction['claim'] = async (keys) => {
                  await tx.claim(keys);
                  await steps.afterClaim?.();
                };
                const result = await unit({ ...bound(tx), claim });
                await steps.beforeEnd?.();
                return result;
              },
              { alone: true },
            ),
        });

      it('leaves nothing when it was faster', async () => {
        const racing = withinUnits({ afterClaim: deleteAll });
        const [eventId = ''] = await ids('events', 'id');
        await expect(resendEvent(racing, app.accountId, eventId, endpointId)).rejects.toMatchObject({
          code: 'NOT_FOUND',
        });
        expect(await ids('event_deliveries', 'event_id')).toEqual([]);
        await record(app.accountId);
        expect(await resendRange(racing, app.accountId, endpointId, period)).toEqual({ count: 0 });
        expect(await ids('event_deliveries', 'event_id')).toEqual([]);
      });

      it('waits for it, and then deletes its deliveries, too', async () => {
        const deletions: Promise<number>[] = [];
        const racing = withinUnits({
          async beforeEnd() {
            deletions.push(deleteAll());
            await sleep(300);
          },
        });
        await app.service.database.write((tx) => tx.run('DELETE FROM event_deliveries'));
        expect(await resendRange(racing, app.accountId, endpointId, period)).toEqual({ count: 1 });
        expect(await Promise.all(deletions)).toEqual([1]);
        expect(await ids('event_deliveries', 'event_id')).toEqual([]);
      });
    });

  it('deletes what earlier versions left of events that no longer exist, also where no event is left', async () => {
    await app.service.database.write((tx) => tx.run('DELETE FROM events'));
    expect((await ids('event_deliveries', 'event_id')).length).toBe(1);
    expect(await deleteOldEvents(app.service)).toBe(0);
    expect((await ids('event_deliveries', 'event_id')).length).toBe(1);
    expect(await deleteAll()).toBe(0);
    expect(await ids('event_deliveries', 'event_id')).toEqual([]);
  });

  it('reaches the other accounts when one fails, and says which', async () => {
    const other = await app.addAccount('Other');
    await subscribe(other.apiKey);
    await record(other.accountId);
    const failing = [app.accountId, other.accountId].sort()[0] as AccountId;
    const { report } = app.service.database;
    const service = withDatabase({
      report: (unit, options) =>
        report((tx) => {
          const all: Transaction['all'] = (sql, parameters) =>
            parameters?.accountId === failing ? Promise.reject(new Error('too slow')) : tx.all(sql, parameters);
          return unit({ ...bound(tx), all });
        }, options),
    });
    expect(await deleteAll(service)).toBe(1);
    const left = await Promise.all([app, other].map(({ accountId }) => ids('events', 'id', accountId)));
    expect(left.map(({ length }) => length)).toEqual([app, other].map(({ accountId }) => +(accountId === failing)));
    expect(lines).toMatchObject([
      { accountId: failing, err: { message: 'too slow' }, msg: 'background work failed for an account' },
    ]);
    expect(await deleteAll()).toBe(1);
  });
});

/** The methods of a transaction, to be replaced one by one. */
function bound(tx: Transaction): Transaction {
  return {
    get: (sql, parameters) => tx.get(sql, parameters),
    all: (sql, parameters) => tx.all(sql, parameters),
    run: (sql, parameters) => tx.run(sql, parameters),
    claim: (keys) => tx.claim(keys),
    lookAhead: (start) => tx.lookAhead(start),
    unawaited: (write) => tx.unawaited(write),
    settled: () => tx.settled(),
    last: (key, work, added) => tx.last(key, work, added),
  };
}
