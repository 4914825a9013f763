import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadMigrations } from '../../src/storage/migrate.ts';
import { type Database, openDatabase } from '../../src/storage/open.ts';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { type ServingProcess, startServing } from '../helpers/serving-process.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

const CONNECTIONS = 8;
/** A migration as the next release may contain: it only adds, and locks the sales table for a while. */
const NEXT_MIGRATION = `-- cost: none
CREATE TABLE next_things (id TEXT PRIMARY KEY, note TEXT);
ALTER TABLE sales ADD COLUMN next_note TEXT;
CREATE INDEX sales_by_next_note ON sales (account_id, next_note);
SELECT pg_sleep(1);
`;

describe('a server of this release, while the next one migrates its PostgreSQL database', () => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  let clickId: string;
  let old: ServingProcess;
  let next: { folder: string; version: number };

  beforeAll(async () => {
    app = await createTestApp('postgres');
    stripe = await createEndpoint(app, 'stripe');
    clickId = await (await createReferrer(app)).lead('payer');
    old = await startServing(app.databaseUrl);
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-next-'));
    await cp(new URL('../../src/storage/migrations/', import.meta.url), folder, { recursive: true });
    const version = (await loadMigrations()).length + 1;
    await writeFile(join(folder, `${String(version).padStart(4, '0')}_next.sql`), NEXT_MIGRATION);
    next = { folder, version };
  });
  afterAll(async () => {
    await old.kill();
    await rm(next.folder, { recursive: true, force: true });
    await app.close();
  });

  const openNext = (): Promise<Database> =>
    openDatabase(app.databaseUrl, { migrationsFolder: pathToFileURL(`${next.folder}/`) });
  const answerOf = async (path: string) => call(old.url + path, 'GET');

  /**
   * Reports sales by API and by webhook until `signal`, and adds those that were acknowledged, and the statuses of all
   * answers; a refused invoice is sent again, as its sender would do.
   */
  async function traffic(acknowledged: string[], statuses: Set<number>, signal: AbortSignal): Promise<void> {
    const connection = async (byApi: boolean) => {
      while (!signal.aborted) {
        const invoice = unique('in');
        const sale = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId: invoice };
        const event = invoicePaid({ invoice, externalId: 'payer', subscription: 'sub_payer', amount: 1_000 });
        for (;;) {
          const { status } = await (byApi
            ? call(`${old.url}/api/track/sale`, 'POST', { key: app.apiKey, body: sale })
            : stripe.deliver(event, undefined, old.url));
          statuses.add(status);
          if (status !== 503) break;
        }
        acknowledged.push(invoice);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => connection(index % 2 === 0)));
  }

  it('continues, is unready with the reason, and neither loses nor doubles anything', async () => {
    expect((await answerOf('/health/ready')).status).toBe(200);
    const stopping = new AbortController();
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    const load = traffic(acknowledged, statuses, stopping.signal);
    const goesOn = async () => {
      const enough = acknowledged.length + 2 * CONNECTIONS;
      while (acknowledged.length < enough) await Promise.race([load, sleep(10)]);
    };
    await goesOn();
    const migrated = await openNext();
    expect(migrated.schemaVersion).toBe(next.version);
    // both releases at the same time
    await migrated.write((tx) => tx.run("INSERT INTO next_things (id) VALUES ('thing')"));
    await goesOn();
    stopping.abort();
    await load;
    // 409: it was stored, although the first answer was 503
    expect([...statuses].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);

    const ready = await answerOf('/health/ready');
    expect(ready.status).toBe(503);
    expect(ready.body).toMatchObject({ checks: { database: 'ok', migrations: 'failed' } });
    expect(ready.body.problems[0]).toContain(`schema version ${next.version}, but this program knows only`);
    expect((await answerOf('/health/live')).status).toBe(200);

    const stored = await migrated.read((tx) =>
      tx.all<{ invoice: string; entries: number }>(
        `SELECT s.invoice_id AS invoice, COUNT(e.id) AS entries
         FROM sales s LEFT JOIN ledger_entries e ON e.sale_id = s.id GROUP BY s.id, s.invoice_id`,
      ),
    );
    expect(stored.map(({ invoice }) => invoice).sort()).toEqual(acknowledged.toSorted());
    expect(stored.filter(({ entries }) => entries !== 1)).toEqual([]);
    await migrated.close();
  });

  it('does not start again: it says that a newer release has used the database, and changes nothing', async () => {
    await expect(openDatabase(app.databaseUrl)).rejects.toThrow(
      `The database has schema version ${next.version}, but this program knows only ${next.version - 1}`,
    );
    const migrated = await openNext();
    expect(await migrated.read((tx) => tx.all('SELECT id FROM next_things'))).toEqual([{ id: 'thing' }]);
    await migrated.close();
  });
});
