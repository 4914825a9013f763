import { globSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { SqlParameters, Transaction } from '../../src/storage/database.ts';
import { loadMigrations } from '../../src/storage/migrate.ts';
import { toPositionalSql, withSqliteClauses } from '../../src/storage/sql-text.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** Steps that scan more rows than they need, each with the reason why that is intended. */
const MEANT = new Map([
  ['SCAN accounts USING INDEX sqlite_autoindex_accounts_1', 'lists all accounts, for the operator'],
  ['SCAN webhook_endpoints', 'once at start: which processors are in use'],
  ['SCAN visitor_salts', 'two or three rows'],
  ['SEARCH g EXISTS USING INDEX programs_account (account_id=?)', 'an account has few programs'],
  ['SEARCH programs USING INDEX programs_account (account_id=?)', 'an account has few programs'],
]);

/** Every SQL text that the functions of a module send, whatever the results. */
async function textsOf(module: Record<string, unknown>): Promise<string[]> {
  const texts = new Set<string>();
  const note = (sql: string) => {
    texts.add(sql);
  };
  const tx = {
    get: async (sql: string) => note(sql),
    all: async (sql: string) => {
      note(sql);
      return [];
    },
    run: async (sql: string, _parameters: SqlParameters) => {
      note(sql);
      return 0;
    },
  } as unknown as Transaction;
  const anything = {
    accountId: 'a',
    limit: 1,
    beforeId: 'x',
    afterId: 'x',
    from: 1,
    to: 2,
    kind: 'customer',
    value: 'v',
    references: ['c'],
    keys: [],
  };
  const named = { ...anything, references: ['c', 'd'] };
  for (const query of Object.values(module)) {
    if (typeof query !== 'function') continue;
    // only the sent SQL matters, not what the function does with dummy results
    for (const arguments_ of [
      [anything, anything, anything, anything],
      [anything, named],
      ['a', 'b', anything, 'd', anything],
      ['a', 'b', ['c'], 'd'],
    ]) {
      try {
        await query(tx, ...arguments_);
      } catch {}
    }
  }
  return [...texts];
}

const database = new Database(':memory:');
for (const { sql } of await loadMigrations()) database.exec(withSqliteClauses(sql));

function planOf(sql: string): string[] {
  const { text, names } = toPositionalSql(sql);
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all(names.map(() => null)) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

/** A scan of a table, or a search by account only, which reads all rows of the account. */
const isWide = (step: string) =>
  /^SCAN (?!CONSTANT|\d+-ROW VALUES|looked_at|holders|\(|g$)/.test(step) || step.endsWith('(account_id=?)');

describe('on SQLite, no query scans more rows than it needs', () => {
  const used = new Set<string>();
  const modules = globSync('*/queries/*.ts', { cwd: SOURCE }).sort();

  it('the queries were found', () => {
    expect(modules.length).toBeGreaterThan(30);
  });

  it.each(modules)('%s', async (file) => {
    const texts = await textsOf(await import(join(SOURCE, file)));
    const wide = texts.flatMap((sql) => planOf(sql).filter(isWide));
    for (const step of wide) used.add(step);
    expect(wide.filter((step) => !MEANT.has(step))).toEqual([]);
  });

  it('and every listed exception is one', () => {
    expect([...MEANT.keys()].filter((step) => !used.has(step))).toEqual([]);
  });
});
