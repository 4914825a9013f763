import { globSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { SqlParameters, Transaction } from '../../src/storage/database.ts';
import { loadMigrations } from '../../src/storage/migrate.ts';
import { toPositionalSql, withSqliteClauses } from '../../src/storage/sql-text.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** Steps that look at more than the rows they are about, each with the reason why that is meant. */
const MEANT = new Map([
  ['SCAN accounts USING INDEX sqlite_autoindex_accounts_1', 'lists all accounts, for the operator'],
  ['SCAN webhook_endpoints', 'once at start: which processors are in use'],
  ['SCAN visitor_salts', 'two or three rows'],
  ['SEARCH g EXISTS USING INDEX programs_account (account_id=?)', 'an account has few programs'],
  ['SEARCH programs USING INDEX programs_account (account_id=?)', 'an account has few programs'],
]);

/** Every text that the functions of a module send, whatever they make of the answers. */
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
  };
  for (const query of Object.values(module)) {
    if (typeof query !== 'function') continue;
    // what it sends counts; what it does with dummies does not
    for (const arguments_ of [
      [anything, anything, anything, anything],
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

/** A scan of a table, or a search that knows the account and nothing else, and so goes through all that it has. */
const isWide = (step: string) =>
  /^SCAN (?!CONSTANT|looked_at|holders|\(|g$)/.test(step) || step.endsWith('(account_id=?)');

describe('on SQLite, no query goes through more rows than it is about', () => {
  const used = new Set<string>();
  const modules = globSync('*/queries/*.ts', { cwd: SOURCE }).sort();

  it('were found', () => {
    expect(modules.length).toBeGreaterThan(30);
  });

  it.each(modules)('%s', async (file) => {
    const texts = await textsOf(await import(join(SOURCE, file)));
    const wide = texts.flatMap((sql) => planOf(sql).filter(isWide));
    for (const step of wide) used.add(step);
    expect(wide.filter((step) => !MEANT.has(step))).toEqual([]);
  });

  it('and every exception that is written down is one', () => {
    expect([...MEANT.keys()].filter((step) => !used.has(step))).toEqual([]);
  });
});
