import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { claimKeys } from '../../../src/app/claims.ts';
import { createPostgresCounter } from '../../../src/http/postgres-counter.ts';
import type { Database, Transaction } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { call, createTestApp, type TestApp } from '../../helpers/app.ts';
import { PGBOUNCER, type Pooler, startPooler } from '../../helpers/pgbouncer.ts';
import { createPostgresProxy } from '../../helpers/postgres-proxy.ts';
import { executeOnServer } from '../../helpers/postgres-server.ts';
import { type ServingProcess, startServing } from '../../helpers/serving-process.ts';
import { createReferrer, unique } from '../../helpers/story.ts';

const CONNECTIONS = 16;
const SALES = 12;

describe.skipIf(PGBOUNCER === undefined)('PgBouncer in transaction mode, with ?pgbouncer=true', () => {
  let app: TestApp;
  let pooler: Pooler;
  let url: string;
  let database: Database;

  beforeAll(async () => {
    app = await createTestApp('postgres');
    pooler = await startPooler(inject('postgresUrl'));
    url = `${pooler.urlOf(app.databaseUrl)}?pgbouncer=true`;
    database = await openDatabase(url);
  });
  afterAll(async () => {
    await database?.close();
    await pooler?.stop();
    await app?.close();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is refused at the start without it, with what to do', async () => {
    await expect(openDatabase(pooler.urlOf(app.databaseUrl))).rejects.toThrow('Add ?pgbouncer=true to DATABASE_URL');
  });

  it.each([
    ['DATABASE_URL', '&options=-c%20search_path%3Dpublic', undefined],
    ['PGOPTIONS', '', '-c search_path=public'],
  ])('is refused with a setting in %s, with what to do instead', async (_place, options, variable) => {
    vi.stubEnv('PGOPTIONS', variable);
    const refused =
      'unsupported startup parameter: options. Remove it from DATABASE_URL and PGOPTIONS, and set it for the user';
    await expect(openDatabase(url + options)).rejects.toThrow(refused);
  });

  it('is left within seconds while it keeps waiting for a PostgreSQL that is away', { timeout: 60_000 }, async () => {
    const proxy = await createPostgresProxy(app.databaseUrl);
    const other = await startPooler(proxy.url);
    const open = () => openDatabase(`${other.urlOf(app.databaseUrl)}?pgbouncer=true`);
    await (await open()).close();
    proxy.breakAll();
    const message = expect.stringContaining('PostgreSQL cannot be reached');
    await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE', message });
    await other.stop();
    await proxy.close();
  });

  it('stores what two processes report at the same time once', async () => {
    const clickId = await (await createReferrer(app)).lead('payer');
    const serving: ServingProcess[] = await Promise.all([startServing(url), startServing(url)]);
    const invoices = Array.from({ length: SALES }, () => unique('in'));
    const report = async (number: number) => {
      const statuses: number[] = [];
      for (const invoiceId of invoices) {
        const body = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId };
        const target = `${serving[number % serving.length]?.url}/api/track/sale`;
        statuses.push((await call(target, 'POST', { key: app.apiKey, body })).status);
      }
      return statuses;
    };
    const statuses = (await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => report(number)))).flat();
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
    expect([count(200), count(409)]).toEqual([SALES, SALES * (CONNECTIONS - 1)]);
    const list = await call(`${serving[0]?.url}/api/sales`, 'GET', { key: app.apiKey });
    expect(list.body.data.map(({ invoiceId }: { invoiceId: string }) => invoiceId).sort()).toEqual(invoices.sort());
    await Promise.all(serving.map((one) => one.kill()));
  });

  it('keeps units of work apart by their claims, wherever they run', async () => {
    await database.write((tx) => tx.run('CREATE TABLE counters (id INTEGER PRIMARY KEY, value BIGINT)'));
    await database.write((tx) => tx.run('INSERT INTO counters (id, value) VALUES (1, 0)'));
    const other = await openDatabase(url);
    const add = async (tx: Transaction) => {
      await tx.claim(() => [claimKeys.payment('pay_1')]);
      const row = await tx.get<{ value: number }>('SELECT value FROM counters WHERE id = 1');
      await tx.run('UPDATE counters SET value = @value WHERE id = 1', { value: (row?.value ?? 0) + 1 });
    };
    const both = [database, other];
    await Promise.all(Array.from({ length: 60 }, (_, n) => both[n % 2]?.write(add, { alone: n % 3 === 0 })));
    expect(await database.read((tx) => tx.get('SELECT value FROM counters'))).toEqual({ value: 60 });
    await other.close();
  });

  it('never runs a unit again whose commit was lost between it and PostgreSQL', async () => {
    await database.write((tx) => tx.run('CREATE TABLE sums (value BIGINT)'));
    await database.write((tx) => tx.run('INSERT INTO sums (value) VALUES (0)'));
    const proxy = await createPostgresProxy(app.databaseUrl);
    const other = await startPooler(proxy.url);
    const behind = await openDatabase(`${other.urlOf(app.databaseUrl)}?pgbouncer=true`);
    proxy.breakAfter('COMMIT');
    const added = behind.write(async (tx) => tx.unawaited(tx.run('UPDATE sums SET value = value + 1')));
    await expect(added).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(await database.read((tx) => tx.get('SELECT value FROM sums'))).toEqual({ value: 1 });
    await behind.close();
    await other.stop();
    await proxy.close();
  });

  it('refuses a write whose row stays locked, and knows that nothing was stored', { timeout: 30_000 }, async () => {
    await database.write((tx) => tx.run('CREATE TABLE locked (value BIGINT)'));
    await database.write((tx) => tx.run('INSERT INTO locked (value) VALUES (0)'));
    const locking = new pg.Client({ connectionString: app.databaseUrl });
    await locking.connect();
    await locking.query('BEGIN; SELECT value FROM locked FOR UPDATE');
    const add = async (tx: Transaction) => tx.unawaited(tx.run('UPDATE locked SET value = value + 1'));
    const added = await Promise.allSettled([database.write(add), database.write(add, { alone: true })]);
    await locking.end();
    const refused = { code: 'UNAVAILABLE', message: expect.stringContaining('The rows to change are locked') };
    expect(added.map((one) => one.status === 'rejected' && one.reason)).toMatchObject([refused, refused]);
    expect(await database.read((tx) => tx.get('SELECT value FROM locked'))).toEqual({ value: 0 });
  });

  it('stops a report at its deadline, and leaves its time limit to nobody else', async () => {
    const sleeps = (tx: Transaction) => tx.all('SELECT CAST(pg_sleep(30) AS TEXT) AS slept');
    await expect(database.report(sleeps, { deadlineMs: 200 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const jit = await database.report((tx) => tx.get("SELECT current_setting('jit') AS jit"), { deadlineMs: 700 });
    expect(jit).toEqual({ jit: 'off' });
    const limitOf = (tx: Transaction) => tx.get("SELECT current_setting('statement_timeout') AS milliseconds");
    const limits = await Promise.all(Array.from({ length: 20 }, () => database.write(limitOf, { alone: true })));
    expect(new Set(limits.map((limit) => JSON.stringify(limit)))).toEqual(new Set(['{"milliseconds":"0"}']));
    await expect(database.report((tx) => tx.all('DELETE FROM counters RETURNING id'))).rejects.toThrow(
      'must not write',
    );
  });

  it('removes the limits that an operator sets instead of sessions, for work that takes long', async () => {
    const name = new URL(app.databaseUrl).pathname.slice(1);
    await executeOnServer(app.databaseUrl, `ALTER DATABASE ${name} SET statement_timeout = '1234ms'`);
    const limitOf = (tx: Transaction) => tx.get("SELECT current_setting('statement_timeout') AS milliseconds");
    const { snapshot, bulk } = app.service.database;
    expect([await snapshot(limitOf), await bulk(limitOf)]).toEqual([{ milliseconds: '0' }, { milliseconds: '0' }]);
    await executeOnServer(app.databaseUrl, `ALTER DATABASE ${name} RESET statement_timeout`);
  });

  it('reads one state for an export, and counts requests exactly', async () => {
    await database.snapshot(async (tx) => {
      const before = await tx.get('SELECT value FROM counters WHERE id = 1');
      await database.write((other) => other.run('UPDATE counters SET value = value + 1 WHERE id = 1'));
      expect(await tx.get('SELECT value FROM counters WHERE id = 1')).toEqual(before);
    });
    const failures: Error[] = [];
    const options = { timeoutMs: 30_000, isPooled: true };
    const counter = createPostgresCounter(pooler.urlOf(app.databaseUrl), (error) => failures.push(error), options);
    const other = createPostgresCounter(pooler.urlOf(app.databaseUrl), (error) => failures.push(error), options);
    const counts = await Promise.all(
      Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? counter : other).count('key_pooled')),
    );
    const numbers = counts.map(({ requestCount }) => requestCount).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    await Promise.all([counter.close(), other.close()]);
    expect(failures).toEqual([]);
  });
});

describe.skipIf(PGBOUNCER === undefined)('PgBouncer in session mode', () => {
  let app: TestApp;
  let pooler: Pooler;
  beforeAll(async () => {
    app = await createTestApp('postgres');
    pooler = await startPooler(inject('postgresUrl'), ['pool_mode = session', 'default_pool_size = 40']);
  });
  afterAll(async () => {
    await pooler?.stop();
    await app?.close();
  });

  it('refuses the settings of a session as well, so that ?pgbouncer=true is needed, and enough', async () => {
    const url = pooler.urlOf(app.databaseUrl);
    await expect(openDatabase(url)).rejects.toThrow('Add ?pgbouncer=true to DATABASE_URL');
    const database = await openDatabase(`${url}?pgbouncer=true`);
    const find = (tx: Transaction) => tx.get('SELECT id FROM accounts WHERE id = @id', { id: app.accountId });
    expect(await database.write(find)).toEqual({ id: app.accountId });
    expect(await database.read(find)).toEqual({ id: app.accountId });
    await database.close();
  });
});
