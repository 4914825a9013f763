import { createServer } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { type MigrationEvent, openDatabase } from '../../../src/storage/open.ts';
import { connectionProblem } from '../../../src/storage/postgres/address.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';
import { migrationsBefore } from '../../helpers/earlier-migrations.ts';
import { listenLocally } from '../../helpers/listen-locally.ts';
import { startOwnTime } from '../../helpers/own-time.ts';
import { createPostgresProxy, type PostgresProxy } from '../../helpers/postgres-proxy.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';

const insertAccount = (tx: Transaction, id: string) =>
  tx.run("INSERT INTO accounts (id, name, created_at) VALUES (@id, 'Acme', 0)", { id });
const EMPTY_SCHEMA_MIGRATIONS =
  'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, checksum TEXT, applied_at BIGINT)';
const backendOf = async (tx: Transaction) =>
  (await tx.get<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid ?? 0;
const unavailable = { code: 'UNAVAILABLE', status: 503, retryAfterSeconds: expect.any(Number) };

describe('a failing PostgreSQL', () => {
  let test: TestDatabase;
  let proxy: PostgresProxy;
  /** Connected through the proxy. */
  let database: Database;
  const terminate = (pid: number) => executeOnServer(inject('postgresUrl'), `SELECT pg_terminate_backend(${pid})`);
  const accounts = async () => {
    const rows = await test.database.read((tx) => tx.all<{ id: string }>('SELECT id FROM accounts ORDER BY id'));
    return rows.map(({ id }) => id);
  };

  beforeEach(async () => {
    test = await createTestDatabase('postgres');
    proxy = await createPostgresProxy(test.url);
    database = await openDatabase(proxy.url);
  });
  afterEach(async () => {
    proxy.mend();
    await database.close();
    await proxy.close();
    await test.remove();
  });

  it('a unit whose connection is killed halfway runs again, and counts once', async () => {
    let runs = 0;
    await database.write(async (tx) => {
      runs += 1;
      await insertAccount(tx, 'acc_1');
      if (runs === 1) await terminate(await backendOf(tx));
      await insertAccount(tx, 'acc_2');
    });
    expect(runs).toBe(2);
    expect(await accounts()).toEqual(['acc_1', 'acc_2']);
  });

  it('a unit whose connection is killed before its COMMIT runs again, and counts once', async () => {
    let runs = 0;
    await database.write(async (tx) => {
      runs += 1;
      await insertAccount(tx, 'acc_1');
      if (runs > 1) return;
      const lost = proxy.connectionLost();
      await terminate(await backendOf(tx));
      await lost;
      // what has already arrived is read in the next turn of the event loop
      for (let turns = 0; turns < 3; turns += 1) await turn();
    });
    expect(runs).toBe(2);
    expect(await accounts()).toEqual(['acc_1']);
  });

  it('a unit cannot hide a lost connection: it is rolled back and runs again', async () => {
    let runs = 0;
    await database.write(async (tx) => {
      runs += 1;
      await insertAccount(tx, 'acc_1');
      if (runs === 1) await terminate(await backendOf(tx));
      await insertAccount(tx, 'acc_2').catch(() => {});
    });
    expect(runs).toBe(2);
    expect(await accounts()).toEqual(['acc_1', 'acc_2']);
  });

  it('a unit whose connection is always killed ends as UNAVAILABLE, and stores nothing', async () => {
    const write = database.write(async (tx) => {
      await insertAccount(tx, 'acc_1');
      await terminate(await backendOf(tx));
      await insertAccount(tx, 'acc_2');
    });
    await expect(write).rejects.toMatchObject(unavailable);
    expect(await accounts()).toEqual([]);
  });

  it('a connection lost during COMMIT is OUTCOME_UNKNOWN and never retried, because it may be stored', async () => {
    let runs = 0;
    proxy.breakAfter('COMMIT');
    const write = database.write(async (tx) => {
      runs += 1;
      await insertAccount(tx, 'acc_1');
    });
    await expect(write).rejects.toMatchObject({ ...unavailable, code: 'OUTCOME_UNKNOWN' });
    expect(runs).toBe(1);
    expect(await accounts()).toEqual(['acc_1']);
    expect(await database.write((tx) => insertAccount(tx, 'acc_2'))).toBe(1);
  });

  it('connections that were killed while idle are replaced without an error', async () => {
    await Promise.all(['a', 'b', 'c'].map((id) => database.write((tx) => insertAccount(tx, id))));
    await executeOnServer(
      inject('postgresUrl'),
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(test.url).pathname.slice(1)}'`,
    );
    await database.write((tx) => insertAccount(tx, 'd'));
    expect(await database.read((tx) => tx.get('SELECT COUNT(*) AS count FROM accounts'))).toEqual({ count: 4 });
  });

  it('an unreachable server is UNAVAILABLE within seconds, and is used again without a restart', async () => {
    proxy.breakAll();
    const ownMs = await startOwnTime();
    await expect(database.write((tx) => insertAccount(tx, 'acc_1'))).rejects.toMatchObject(unavailable);
    await expect(database.read((tx) => tx.all('SELECT id FROM accounts'))).rejects.toMatchObject(unavailable);
    expect(ownMs()).toBeLessThan(10_000);
    proxy.mend();
    expect(await database.write((tx) => insertAccount(tx, 'acc_1'))).toBe(1);
    expect(await accounts()).toEqual(['acc_1']);
  });

  it('a silent server is UNAVAILABLE within about five seconds, and is used again later', async () => {
    await database.write((tx) => insertAccount(tx, 'acc_1'));
    proxy.swallowAll();
    const ownMs = await startOwnTime();
    const [write, read] = await Promise.allSettled([
      database.write((tx) => insertAccount(tx, 'acc_2')),
      database.read((tx) => tx.all('SELECT id FROM accounts')),
    ]);
    expect(ownMs()).toBeLessThan(7_000);
    expect(write).toMatchObject({ status: 'rejected', reason: unavailable });
    expect(read).toMatchObject({ status: 'rejected', reason: unavailable });
    proxy.mend();
    expect(await database.write((tx) => insertAccount(tx, 'acc_3'))).toBe(1);
    expect(await accounts()).toEqual(['acc_1', 'acc_3']);
  });

  it('a row that another unit keeps locked makes the write UNAVAILABLE, instead of waiting indefinitely', async () => {
    await database.write((tx) => insertAccount(tx, 'acc_1'));
    const other = new pg.Client({ connectionString: test.url });
    await other.connect();
    await other.query('BEGIN; UPDATE accounts SET name = name');
    const rename = () => database.write((tx) => tx.run("UPDATE accounts SET name = 'Other'"));
    await expect(rename()).rejects.toMatchObject(unavailable);
    await other.query('ROLLBACK');
    await other.end();
    expect(await rename()).toBe(1);
  });

  it('a limit for whole transactions makes the write UNAVAILABLE, and does not end long transactions', async () => {
    await executeOnServer(
      test.url,
      `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET transaction_timeout = 300`,
    );
    const limited = await openDatabase(test.url);
    const tooLong = (tx: Transaction) => tx.get('SELECT CAST(pg_sleep(1) AS TEXT) AS slept');
    await expect(limited.write(tooLong, { alone: true })).rejects.toMatchObject(unavailable);
    await limited.bulk(async (tx) => {
      await sleep(500);
      await insertAccount(tx, 'acc_1');
    });
    await limited.close();
    expect(await accounts()).toEqual(['acc_1']);
  });

  it('a column that another process adds does not break prepared statements', async () => {
    const read = () => database.read((tx) => tx.get('SELECT * FROM accounts'));
    const touch = () => database.write((tx) => tx.get('UPDATE accounts SET name = name RETURNING *'));
    await database.write((tx) => insertAccount(tx, 'acc_1'));
    await read();
    await touch();
    await executeOnServer(test.url, 'ALTER TABLE accounts ADD COLUMN colour TEXT');
    expect(await touch()).toMatchObject({ id: 'acc_1', colour: null });
    expect(await read()).toMatchObject({ id: 'acc_1', colour: null });
  });
});

describe('opening PostgreSQL', () => {
  it('is refused when a commit may be lost', async () => {
    const test = await createTestDatabase('postgres');
    await executeOnServer(
      test.url,
      `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET synchronous_commit = off`,
    );
    await expect(openDatabase(test.url)).rejects.toThrow('synchronous_commit=off');
    await test.remove();
  });

  it('is refused when it cannot store every name, unless it is in use already', async () => {
    const { url, remove } = await createEmptyDatabase('postgres');
    const name = new URL(url).pathname.slice(1);
    const latin = `${name}_latin`;
    const server = inject('postgresUrl');
    await executeOnServer(server, `CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    const open = () => openDatabase(url.replace(name, latin));
    await expect(open()).rejects.toThrow('has the encoding LATIN1');
    await executeOnServer(url.replace(name, latin), EMPTY_SCHEMA_MIGRATIONS);
    await (await open()).close();
    await executeOnServer(server, `DROP DATABASE ${latin}`);
    await remove();
  });

  it('says where the certificate of a private authority is named', async () => {
    const unknown = Object.assign(new Error('self-signed certificate'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' });
    expect(connectionProblem(unknown).message).toContain('&sslrootcert=');
  });

  it('says what to check when nobody answers, without the password', async () => {
    const opening = openDatabase('postgres://somebody:hunter2@127.0.0.1:9/nowhere');
    await expect(opening).rejects.toThrow('PostgreSQL cannot be reached');
    await expect(opening).rejects.not.toThrow('hunter2');
  });

  it('says what to do about a pooler that accepts time limits, but no other settings', async () => {
    const refusal =
      'SFATAL\0C0A000\0MFeature not supported: RDS Proxy currently doesn’t support command-line options.\0\0';
    const length = Buffer.alloc(4);
    length.writeInt32BE(length.length + Buffer.byteLength(refusal));
    const pooler = createServer((socket) =>
      socket.once('data', (startup) => {
        socket.end(startup.includes('jit=off') ? Buffer.concat([Buffer.from('E'), length, Buffer.from(refusal)]) : '');
      }),
    );
    const { host } = new URL(await listenLocally(pooler));
    const opening = openDatabase(`postgres://somebody@${host}/referrals`);
    await expect(opening).rejects.toThrow('Add ?pgbouncer=true to DATABASE_URL');
    pooler.close();
  });

  it('says that the database is away when the connection breaks during a migration', async () => {
    const [empty, earlier] = await Promise.all([createEmptyDatabase('postgres'), migrationsBefore('0037')]);
    const proxy = await createPostgresProxy(empty.url);
    await (await openDatabase(proxy.url, { migrationsFolder: earlier.folder })).close();
    const announce = ({ kind }: MigrationEvent) => void (kind === 'started' && proxy.breakAll());
    await expect(openDatabase(proxy.url, { announce })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await proxy.close();
    await Promise.all([empty.remove(), earlier.remove()]);
  });
});
