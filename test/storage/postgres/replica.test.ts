import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { startServer } from '../../../src/main.ts';
import { settlePayout } from '../../../src/payouts/states.ts';
import { readConfig } from '../../../src/process/config.ts';
import type { Database, ReportOptions, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { standbyAddressOf } from '../../../src/storage/postgres/address.ts';
import { PostgresReplica } from '../../../src/storage/postgres/replica.ts';
import type { PostgresReports } from '../../../src/storage/postgres/reports.ts';
import { POSTGRES_TYPES } from '../../../src/storage/postgres/types.ts';
import { type PostgresPair, startPostgresPair, untilRow } from '../../helpers/postgres-pair.ts';
import { databaseUrl, executeOnServer } from '../../helpers/postgres-server.ts';

const LAG_MAX_MS = 500;
const ANYTHING: ReportOptions = { replicaSince: 0 };

describe('lists and reports with DATABASE_READ_URL', () => {
  let pair: PostgresPair;
  let urls: { primaryUrl: string; standbyUrl: string };
  let database: Database | undefined;
  /** Why the replica is not read, at each change; null when it is read. */
  let changes: (string | null)[];

  const open = async (replicaUrl: string) => {
    changes = [];
    const onChange = (reason: string | null) => changes.push(reason);
    database = await openDatabase(urls.primaryUrl, { replica: { url: replicaUrl, lagMaxMs: LAG_MAX_MS, onChange } });
    return database;
  };
  const placeOf = async (options?: ReportOptions) => {
    const find = (tx: Transaction) => tx.get<{ isReplica: number }>('SELECT pg_is_in_recovery() AS "isReplica"');
    return (await database?.report(find, options))?.isReplica === 1 ? 'replica' : 'primary';
  };
  /** On the standby, as its superuser. */
  const onStandby = (sql: string) => executeOnServer(databaseUrl(pair.standby.url, 'shop'), sql);
  const pauseReplay = async () => {
    await onStandby('SELECT pg_wal_replay_pause()');
    await untilRow(pair.standby.url, "SELECT 1 WHERE pg_get_wal_replay_pause_state() = 'paused'");
  };
  /** A server that reads a replica of any age, and an account's key. */
  const serve = async () => {
    const config = readConfig({
      DATABASE_URL: urls.primaryUrl,
      DATABASE_READ_URL: urls.standbyUrl,
      DATABASE_READ_LAG_SECONDS: '60',
      SECRET_KEY: '5b'.repeat(32),
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS: 'public',
    });
    const server = await startServer(config, pino({ level: 'silent' }));
    database = server.service.database;
    const { accountId, apiKey } = await createAccount(server.service, { name: 'Example Ltd' });
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', connection: 'close' };
    return { server, accountId, headers };
  };

  beforeAll(async () => {
    pair = await startPostgresPair();
    urls = await pair.createDatabase('shop');
    // which a standby refuses
    await executeOnServer(pair.primary.url, "ALTER ROLE shop SET default_transaction_isolation = 'serializable'");
  });
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });
  afterAll(() => pair.remove());

  it('are read from the replica, everything else from the primary', async () => {
    const { read, write } = await open(urls.standbyUrl);
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    expect(changes.at(-1)).toBe(null);
    expect(await placeOf()).toBe('primary');
    const isReplica = (tx: Transaction) => tx.get('SELECT pg_is_in_recovery() AS "isReplica"');
    expect([await read(isReplica), await write(isReplica)]).toEqual([{ isReplica: 0 }, { isReplica: 0 }]);
    // what was committed just now may be missing there, until the replica is known to have it
    const replicaSince = performance.now();
    expect(await placeOf({ replicaSince })).toBe('primary');
    await expect.poll(() => placeOf({ replicaSince })).toBe('replica');
  });

  it('are read from the primary while the replica is too far behind, and each change is reported', async () => {
    await open(urls.standbyUrl);
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    await pauseReplay();
    await executeOnServer(urls.primaryUrl, 'CREATE TABLE later (id INTEGER)');
    const told = changes.length;
    await expect.poll(() => placeOf(ANYTHING)).toBe('primary');
    expect(changes.slice(told)).toEqual([expect.stringContaining('more than 0.5 s behind')]);
    expect(await database?.report((tx) => tx.all('SELECT id FROM later'), ANYTHING)).toEqual([]);
    await onStandby('SELECT pg_wal_replay_resume()');
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    expect(changes.slice(told)).toHaveLength(2);
  });

  it('are read from the primary while the replica is away, without an error', async () => {
    await open(urls.standbyUrl);
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    const told = changes.length;
    await pair.standby.end('SIGQUIT');
    expect(await placeOf(ANYTHING)).toBe('primary');
    expect(await placeOf(ANYTHING)).toBe('primary');
    expect(changes.slice(told)).toEqual([expect.stringContaining('does not answer')]);
    await pair.standby.start();
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    expect(changes.slice(told)).toHaveLength(2);
  });

  it('are read from the primary when no connection to the replica becomes free', async () => {
    await open(urls.standbyUrl);
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    const told = changes.length;
    const slow = (tx: Transaction) => tx.get('SELECT CAST(pg_sleep(2.5) AS TEXT) AS slept');
    const busy = [1, 2].map(() => database?.report(slow, ANYTHING));
    expect(await placeOf(ANYTHING)).toBe('primary');
    await Promise.all(busy);
    expect(await placeOf(ANYTHING)).toBe('replica');
    expect(changes.slice(told)).toEqual([]);
  });

  it('are never read from a server that is not a standby of the primary', async () => {
    await open(urls.primaryUrl);
    expect(changes).toEqual(['DATABASE_READ_URL is not a standby of DATABASE_URL']);
    expect(await placeOf(ANYTHING)).toBe('primary');
  });

  it('are refused at an address that pg cannot read, before anything is open that keeps a process from ending', async () => {
    await expect(open(`${urls.standbyUrl}?ssl=tru`)).rejects.toThrow('has ssl=tru');
    const others =
      "SELECT 1 FROM pg_stat_activity WHERE datname = 'shop' AND usename = 'shop' AND pid <> pg_backend_pid()";
    await untilRow(pair.primary.url, `SELECT 1 WHERE NOT EXISTS (${others})`);
  });

  it('show over HTTP what the account has just changed, and count what the primary answered instead', async () => {
    const { server, headers } = await serve();
    const namesOf = async () => {
      const answer = await fetch(`${server.url}/api/partners`, { headers });
      return ((await answer.json()) as { data: { name: string }[] }).data.map(({ name }) => name);
    };
    const metric = async (name: string) => {
      const text = await (await fetch(`${server.url}/metrics`, { headers })).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    await pauseReplay();
    const fallbacks = await metric('refbridge_replica_fallbacks_total');
    // a lagging list does not show what is committed now
    await executeOnServer(urls.primaryUrl, 'UPDATE accounts SET name = name');
    expect(await namesOf()).toEqual([]);
    expect(await metric('refbridge_replica_fallbacks_total')).toBe(fallbacks);
    const body = JSON.stringify({ name: 'Pia Example', email: 'pia@example.com' });
    expect((await fetch(`${server.url}/api/partners`, { method: 'POST', headers, body })).status).toBe(201);
    expect(await namesOf()).toEqual(['Pia Example']);
    expect(await metric('refbridge_replica_fallbacks_total')).toBe(fallbacks + 1);
    await onStandby('SELECT pg_wal_replay_resume()');
    await expect.poll(() => metric('refbridge_replica_lag_seconds')).toBeLessThan(60);
    await server.close();
  });

  it('leave an export of payouts to a file to the primary: it decides who is paid', async () => {
    const { server, accountId, headers } = await serve();
    const post = async (path: string, body: object) => {
      const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as { id: string };
    };
    const textAt = async (path: string) => (await fetch(server.url + path, { headers })).text();
    const partner = await post('/api/partners', { name: 'Pia Example', email: 'pia@example.com' });
    const adjustment = { partnerId: partner.id, amount: 500_00, currency: 'usd', reason: 'campaign' };
    await post('/api/adjustments', adjustment);
    await post('/api/payouts/run', {});
    const replicaSince = performance.now();
    await expect.poll(() => placeOf({ replicaSince })).toBe('replica');
    await pauseReplay();
    const [id = ''] = /pay_\w+/.exec(await textAt('/api/payouts/export')) ?? [];
    // as another process, a command or the schedule does
    const actor = { kind: 'schedule' } as const;
    await settlePayout(server.service, accountId, id, { status: 'paid', note: 'transfer of today', actor });
    expect(await textAt('/api/payouts?status=processing')).toContain(id);
    expect(await textAt('/api/payouts/export')).not.toContain(id);
    await onStandby('SELECT pg_wal_replay_resume()');
    await server.close();
  });

  it('are read from a replica that has replayed the end of a segment of which the primary writes the rest', async () => {
    const primary = await open(urls.standbyUrl);
    const written = (sql: string) => sql.replace('pg_current_wal_lsn()', '(pg_current_wal_lsn() - 500000)');
    const writing = { get: (sql: string) => primary.read((tx) => tx.get(written(sql))) } as unknown as Transaction;
    const options = {
      url: standbyAddressOf(urls.standbyUrl),
      lagMaxMs: LAG_MAX_MS,
      onChange: (reason: string | null) => changes.push(reason),
    };
    const fallback = {} as PostgresReports;
    const replica = new PostgresReplica(options, { types: POSTGRES_TYPES }, { primary: writing, fallback });
    changes = [];
    await replica.measure();
    expect(changes).toEqual([null]);
    await replica.end();
  });

  it('are never read from a standby of another life of the database, which has what the primary never had', async () => {
    const before = await open(urls.standbyUrl);
    await expect.poll(() => placeOf(ANYTHING)).toBe('replica');
    await before.close();
    await pair.standby.end('SIGINT');
    await executeOnServer(urls.primaryUrl, 'CREATE TABLE lost AS SELECT generate_series(1, 10000) AS id');
    // the former primary becomes a standby with the commit that the new primary lacks
    const [{ data_directory: folder }] = (await executeOnServer(pair.primary.url, 'SHOW data_directory')) as [
      { data_directory: string },
    ];
    await executeOnServer(pair.primary.url, `COPY (SELECT) TO '${folder}/standby.signal'`);
    await pair.primary.end('SIGINT');
    await pair.standby.start();
    await onStandby('SELECT pg_promote()');
    await pair.primary.start();
    urls = { primaryUrl: urls.standbyUrl, standbyUrl: urls.primaryUrl };
    await open(urls.standbyUrl);
    expect(changes).toEqual(['DATABASE_READ_URL is not a standby of DATABASE_URL']);
    expect(await database?.report((tx) => tx.get("SELECT to_regclass('lost') AS lost"), ANYTHING)).toEqual({
      lost: null,
    });
  });
});
