import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { importCsvText } from './import-text.ts';

const HEAD = 'id,partner,amount,currency,status,date,saleAmount,customer';
const row = (id: string, partner: string, status: string, sale = ',') =>
  `${id},${partner}@example.com,10.00,USD,${status},2026-01-05,${sale}`;

describe('a page of commissions on PostgreSQL', () => {
  let app: TestApp;
  let folder: string;
  /** As another unit of work would lock the rows that many share. */
  let other: pg.Client;
  beforeAll(async () => {
    app = await createTestApp('postgres');
    folder = await mkdtemp(join(tmpdir(), 'refbridge-locks-'));
    other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  const importRows = (...rows: string[]) =>
    importCsvText(app, folder, 'commissions', { text: [HEAD, ...rows].join('\n') });
  const aUnitWaits = async () => {
    const sql = `SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%payouts%'`;
    return (await executeOnServer(app.databaseUrl, sql)).length > 0;
  };

  it('holds nothing that sales lock while it waits for the queued payout of a commission that was paid', async () => {
    for (const name of ['Ana', 'Bob']) {
      const body = { name, email: `${name.toLowerCase()}@example.com` };
      expect((await app.call('POST', '/api/partners', { body })).status).toBe(201);
    }
    await importRows(row('c1', 'ana', 'due'), row('c2', 'bob', 'due', '50.00,mia'));
    await other.query('BEGIN');
    const queuedOf = (partner: string) => `SELECT 1 FROM payouts o JOIN partners p ON p.id = o.partner_id
      WHERE p.email = '${partner}@example.com' AND o.status = 'queued' FOR UPDATE OF o NOWAIT`;
    await other.query(queuedOf('ana'));
    // the first row has a page of its own
    const importing = importRows(
      row('c2', 'bob', 'due', '50.00,mia'),
      row('c1', 'ana', 'paid'),
      row('c3', 'bob', 'due', '50.00,zoe'),
    );
    await expect.poll(aUnitWaits, { interval: 5 }).toBe(true);
    await other.query(queuedOf('bob'));
    await other.query('SELECT 1 FROM result_days FOR UPDATE NOWAIT');
    await other.query('SELECT 1 FROM ledger_days FOR UPDATE NOWAIT');
    await other.query('COMMIT');
    expect(await importing).toMatchObject({ created: 1, changed: 1, unchanged: 1, refused: 0 });
  });
});
