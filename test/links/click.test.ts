import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { followLink } from '../../src/links/follow.ts';
import { deleteOldSalts, visitorHashFor } from '../../src/links/visitor-hash.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type Engine, engines } from '../helpers/databases.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { TEST_SECRET_KEY } from '../helpers/secret-key.ts';
import { VISITOR } from '../helpers/story.ts';
import { clickIdIn, clicksOf, createLink, type TestLink, visit } from '../helpers/visitors.ts';

const HOUR_MS = 3_600_000;
const MORNING = Date.parse('2026-11-21T06:00:00Z');
const ADDRESSES = ['203.0.113.77', '2001:db8:77::1'];

describe.each(engines)('the visitor hash on %s', (engine) => {
  let app: TestApp;
  let link: TestLink;
  let now: number;
  beforeEach(async () => {
    now = MORNING;
    app = await createTestApp(engine, { service: { clock: () => now }, trustProxy: 1 });
    link = await createLink(app);
  });
  afterEach(() => app.close());

  const come = async (address: string, userAgent = VISITOR, followed = link, url = app.url) => {
    const headers = { 'x-forwarded-for': address, 'user-agent': userAgent };
    const id = clickIdIn(await visit({ ...app, url }, `/${followed.key}`, headers));
    return (await clicksOf(app, followed)).find((click) => click.id === id)?.visitorHash;
  };
  const salts = async () =>
    (await app.service.database.read((tx) => tx.all<{ day: number; salt: string }>('SELECT * FROM visitor_salts'))).map(
      ({ salt }) => salt,
    );

  it('distinguishes visitors by address and browser', async () => {
    const hash = await come('203.0.113.77');
    expect(await come('203.0.113.77')).toBe(hash);
    expect(await come('203.0.113.78')).not.toBe(hash);
    expect(await come('203.0.113.77', `${VISITOR} Edg/140.0`)).not.toBe(hash);
  });

  it('does not reveal to one account what a visitor does at another', async () => {
    const { apiKey } = await app.addAccount('Other Ltd');
    // two accounts cannot have links on the same domain
    const url = app.url.replace('127.0.0.1', 'localhost');
    const other = await createLink({
      ...app,
      url,
      call: (method, path, rest) => app.call(method, path, { key: apiKey, ...rest }),
    });
    expect(await come('203.0.113.77', VISITOR, other, url)).not.toBe(await come('203.0.113.77'));
  });

  it('changes with the next day (UTC), and not before', async () => {
    const hash = await come('203.0.113.77');
    now = Date.parse('2026-11-21T23:59:59.999Z');
    expect(await come('203.0.113.77')).toBe(hash);
    now += 1;
    expect(await come('203.0.113.77')).not.toBe(hash);
    expect(new Set(await salts()).size).toBe(2);
  });

  it('has a salt for 48 hours, which cannot be restored afterwards', async () => {
    const hash = await come('203.0.113.77');
    const [salt] = await salts();
    now = MORNING + 48 * HOUR_MS - 1;
    expect(await deleteOldSalts(app.service)).toBe(0);
    expect(await salts()).toEqual([salt]);
    now += 1;
    expect(await deleteOldSalts(app.service)).toBe(1);
    expect(await salts()).toEqual([]);
    now = MORNING;
    expect(await come('203.0.113.77')).not.toBe(hash);
    expect(await salts()).not.toContain(salt);
  });

  it('has no salt left from a clock that was ahead', async () => {
    now = MORNING + 400 * 24 * HOUR_MS;
    await come('203.0.113.77');
    expect(await deleteOldSalts(app.service)).toBe(0);
    now = MORNING;
    expect(await deleteOldSalts(app.service)).toBe(1);
    expect(await salts()).toEqual([]);
  });

  it('cannot be computed from a copy of the database, which has the salt, without SECRET_KEY', async () => {
    const { service, accountId } = app;
    const visitor = { address: '203.0.113.77', userAgent: VISITOR };
    const hash = await visitorHashFor(service, accountId, visitor);
    const withKey = (key: Buffer) =>
      visitorHashFor(createService({ ...service, sealer: createSealer(key) }), accountId, visitor);
    expect(await withKey(TEST_SECRET_KEY)).toBe(hash);
    expect(await withKey(Buffer.alloc(32, 9))).not.toBe(hash);
    expect(await salts()).toHaveLength(1);
  });

  it('uses one salt per day, whichever process creates it', async () => {
    const hashes = await Promise.all(Array.from({ length: 20 }, () => come('203.0.113.77')));
    expect(new Set(hashes).size).toBe(1);
    const other = await createTestApp(engine, { service: { clock: () => now, database: await reopened(app) } });
    const visitor = { referrerHost: null, device: null, country: null, address: '203.0.113.77', userAgent: VISITOR };
    await followLink(other.service, { domain: new URL(app.url).host, key: link.key, query: '' }, visitor);
    await other.service.database.close();
    await other.close();
    expect((await clicksOf(app, link)).map(({ visitorHash }) => visitorHash)).toEqual(Array(21).fill(hashes[0]));
    expect(await salts()).toHaveLength(1);
  });

  it('replaces the address everywhere', async () => {
    for (const address of ADDRESSES) {
      await come(address);
      const headers = { 'x-forwarded-for': address, 'user-agent': VISITOR };
      const body = { domain: new URL(app.url).host, key: link.key };
      expect((await app.call('POST', '/api/track/click', { key: null, body, headers })).status).toBe(200);
    }
    expect(await clicksOf(app, link)).toHaveLength(4);
    const everything = await everythingStored(engine, app);
    expect(everything).toContain(link.id);
    for (const address of ADDRESSES) expect(everything).not.toContain(address);
  });
});

/** The same database, opened as another process would. */
async function reopened(app: TestApp) {
  const { openDatabase } = await import('../../src/storage/open.ts');
  return openDatabase(app.databaseUrl);
}

/** Every byte of the SQLite files, or every row of every table. */
async function everythingStored(engine: Engine, { databaseUrl }: TestApp): Promise<string> {
  if (engine === 'sqlite') {
    const folder = dirname(databaseUrl.slice('file:'.length));
    return readdirSync(folder)
      .map((name) => readFileSync(`${folder}/${name}`, 'latin1'))
      .join('\n');
  }
  const tables = await executeOnServer(
    databaseUrl,
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  const rows = await Promise.all(
    (tables as { relname: string }[]).map(({ relname }) =>
      executeOnServer(databaseUrl, `SELECT t::text FROM ${relname} t`),
    ),
  );
  expect(tables.length).toBeGreaterThan(10);
  return JSON.stringify(rows);
}
