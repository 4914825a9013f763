import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import type { Manifest } from '../../src/exchange/manifest.ts';
import { sqlitePathOf } from '../../src/storage/open.ts';
import { toPositionalSql, valuesFor } from '../../src/storage/sql-text.ts';
import { startChild } from '../helpers/child-process.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { fillAccount, filledId } from '../helpers/filled-database.ts';
import { asId } from '../helpers/ids.ts';
import { someOf } from '../helpers/rounds.ts';
import { createTestService } from '../helpers/service.ts';

const CHILD = new URL('./children/import.ts', import.meta.url);
const SALES = 2_000;
const accountId = asId<'acc'>(filledId('acc', 1, 1));

let folder: string;
let manifest: Manifest;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-exchange-'));
  const { url, database, remove } = await createTestDatabase('sqlite');
  const raw = new BetterSqlite3(sqlitePathOf(url) ?? '');
  await fillAccount(
    (sql, parameters) => {
      const { text, names } = toPositionalSql(sql);
      raw.prepare(text).run(valuesFor(names, parameters).map((value) => BigInt(value as number)));
    },
    { account: 1, sales: SALES },
  );
  raw.close();
  manifest = await exportAccount(createTestService({ database }), accountId, { folder, programVersion: '1.2.3' });
  await remove();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(engines)('an import that is killed, on %s', (engine) => {
  it.each(someOf(['customers', 'ledger_entries', 'audit_log']))(
    'while %s are stored has stored nothing, and can be run again',
    async (table) => {
      const { url, database, remove } = await createTestDatabase(engine);
      try {
        const child = startChild(CHILD, [url, folder, table]);
        await child.printed(`imported ${table}\n`);
        child.process.kill('SIGKILL');
        expect((await child.ended).signal).toBe('SIGKILL');
        expect(await database.read((tx) => tx.all('SELECT id FROM accounts'))).toEqual([]);
        expect(await database.read((tx) => tx.all('SELECT id FROM customers LIMIT 1'))).toEqual([]);
        const options = { folder, isDryRun: false, sourceSealer: null };
        const imported = await importAccount(createTestService({ database }), options);
        expect(imported).toMatchObject({ imported: true, rows: manifest.rows });
        const sales = await database.read((tx) => tx.get('SELECT COUNT(*) AS "count" FROM sales'));
        expect(sales).toEqual({ count: SALES });
      } finally {
        await remove();
      }
    },
  );
});
