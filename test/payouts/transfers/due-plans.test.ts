import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { findAccountsToSend, findDueTransfers } from '../../../src/payouts/queries/transfers.ts';
import type { Transaction } from '../../../src/storage/database.ts';
import { sqlitePathOf } from '../../../src/storage/open.ts';
import { createTestDatabase, type Engine, engines } from '../../helpers/databases.ts';

const DUE = { now: 1_000, far: 2_000 };

/** The SQL that is sent, with values in it. */
async function textsOf(query: (tx: Transaction) => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const all = (sql: string) => {
    texts.push(sql.replace(/@(now|far|limit)\b/g, '1000').replace('@accountId', "'acc_1'"));
    return Promise.resolve([]);
  };
  await query({ all } as unknown as Transaction);
  return texts;
}

/** The conditions by which the index is searched, in order. */
async function searchesOf(engine: Engine, texts: readonly string[]): Promise<string[]> {
  const { url, remove } = await createTestDatabase(engine);
  try {
    const plan = engine === 'sqlite' ? planOnSqlite(url, texts) : await planOnPostgres(url, texts);
    return plan.filter((line) => /payout_transfers_due \(|Index Cond/.test(line));
  } finally {
    await remove();
  }
}

function planOnSqlite(url: string, texts: readonly string[]): string[] {
  const raw = new BetterSqlite3(sqlitePathOf(url) ?? '', { readonly: true });
  try {
    return texts.flatMap((text) =>
      (raw.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]).map(({ detail }) => detail),
    );
  } finally {
    raw.close();
  }
}

async function planOnPostgres(url: string, texts: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // the table is empty
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
    const plans: string[] = [];
    for (const text of texts) {
      const { rows } = await client.query(`EXPLAIN ${text}`);
      plans.push(...rows.map((row) => row['QUERY PLAN']));
    }
    return plans;
  } finally {
    await client.end();
  }
}

describe.each(engines)('the transfers that are due, on %s', (engine) => {
  it.each([
    ['of an account', (tx: Transaction) => findDueTransfers(tx, 'acc_1' as AccountId, { ...DUE, limit: 10 })],
    ['of every account', (tx: Transaction) => findAccountsToSend(tx, DUE)],
  ])('%s are found by two ranges of the index, which hold none that is postponed', async (_of, query) => {
    const searches = await searchesOf(engine, await textsOf(query));
    const ofAccount = searches.filter((line) => /account_id ?=/.test(line));
    expect(ofAccount).toEqual([expect.stringMatching(/due_at ?<(=|\?)/), expect.stringMatching(/due_at ?>/)]);
  });
});
