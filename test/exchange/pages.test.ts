import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesOf } from '../../src/exchange/pages.ts';
import type { StoredRow } from '../../src/exchange/queries/walk.ts';
import { TABLES } from '../../src/exchange/tables.ts';
import type { Transaction } from '../../src/storage/database.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';
import { fillAccount, filledId } from '../helpers/filled-database.ts';
import { asId } from '../helpers/ids.ts';

const PAGE_ROWS = 100;
const [OWN, OTHER] = [1, 2];
const ACCOUNT = asId<'acc'>(filledId('acc', OWN, 1));
const LARGE_BYTES = 100 * 1024;

describe.each(engines)('the pages of an export, on %s', (engine) => {
  let target: TestDatabase;
  beforeAll(async () => {
    target = await createTestDatabase(engine);
    await target.database.write(async (tx) => {
      for (const filling of [
        { account: OWN, sales: 300 },
        { account: OTHER, sales: 3_000 },
      ]) {
        await fillAccount((sql, parameters) => tx.run(sql, parameters), filling);
      }
      await addAttempts(tx, OWN, 250);
      await addAttempts(tx, OTHER, 250);
      await tx.run(`UPDATE deliveries SET body = @body WHERE account_id = @account AND id <= @last`, {
        body: Buffer.alloc(LARGE_BYTES, 'a body '),
        account: ACCOUNT,
        last: filledId('dlv', OWN, 9),
      });
    });
  });
  afterAll(() => target.remove());

  const pages = (name: string) =>
    target.database.snapshot(async (tx) => {
      const found: StoredRow[][] = [];
      for await (const page of pagesOf(tx, ACCOUNT, tableOf(name), PAGE_ROWS)) found.push(page);
      return found;
    });

  it.each([
    ['link_clicks', 'link_id IN (SELECT id FROM links WHERE account_id = @account)'],
    ['result_days', 'owner_id IN (SELECT id FROM partners WHERE account_id = @account)'],
    ['ledger_days', 'partner_id IN (SELECT id FROM partners WHERE account_id = @account)'],
    ['event_attempts', 'endpoint_id IN (SELECT id FROM event_endpoints WHERE account_id = @account)'],
    ['open_entries', 'account_id = @account'],
    ['payout_entries', 'account_id = @account'],
    ['payout_days', 'payout_id IN (SELECT id FROM payouts WHERE account_id = @account)'],
    ['clicks', 'account_id = @account'],
    ['payments', 'account_id = @account'],
    ['deliveries', 'account_id = @account'],
  ])('of %s contain each row of the account once, in the order of the key', async (name, own) => {
    const found = await pages(name);
    for (const page of found) expect(page.length).toBeLessThanOrEqual(PAGE_ROWS);
    const order = Object.keys(tableOf(name).key).join(', ');
    const all = await target.database.read((tx) =>
      tx.all<StoredRow>(`SELECT * FROM ${name} WHERE ${own} ORDER BY ${order}`, { account: ACCOUNT }),
    );
    expect(all.length).toBeGreaterThan(0);
    expect(found.flat()).toEqual(all);
  });

  it('end before they contain too many large bodies', async () => {
    const bytes = (await pages('deliveries')).map((page) =>
      page.reduce((sum, { body }) => sum + (Buffer.isBuffer(body) ? body.length : 0), 0),
    );
    expect(Math.max(...bytes)).toBe(2 * LARGE_BYTES);
  });
});

function tableOf(name: string) {
  const table = TABLES.find((one) => one.name === name);
  if (table === undefined) throw new Error(`${name} is not exported`);
  return table;
}

/** Of an endpoint besides those that `fillAccount` adds. */
async function addAttempts(tx: Transaction, account: number, count: number): Promise<void> {
  const endpoint = filledId('evp', account, 9);
  await tx.run(
    `INSERT INTO event_endpoints (id, account_id, kind, url, description, types, status, created_at, failures)
     VALUES (@endpoint, @account, 'webhook', 'https://hooks.example.com/in', '', '[]', 'enabled', 1, 0)`,
    { endpoint, account: filledId('acc', account, 1) },
  );
  for (let n = 1; n <= count; n += 1) {
    await tx.run(
      `INSERT INTO event_attempts (endpoint_id, event_id, number, attempted_at, duration_ms)
       VALUES (@endpoint, @event, @number, 1, 1)`,
      { endpoint, event: filledId('evt', account, Math.ceil(n / 3)), number: n },
    );
  }
}
