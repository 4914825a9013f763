import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import type { MigrationEvent } from '../../src/storage/migrate.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';

/** The tables, each with the columns that order its rows. */
const REBUILT = {
  customers: 'id',
  leads: 'id',
  ledger_entries: 'account_id, id',
  payment_references: 'account_id, value, processor',
  open_entries: 'partner_id, currency, due_at, entry_id',
};
/** Tables with references to them. */
const REFERRING = { identities: 'value', sales: 'id', payout_entries: 'entry_id' };
const ROWS = 2_000;

/** Ids of ten digits, which sort like their numbers. */
const id = (prefix: string) => `'${prefix}_' || substr(CAST(10000000000 + i AS TEXT), 2)`;
const some = (value: string) => `CASE WHEN i % 3 = 0 THEN NULL ELSE ${value} END`;
/** One row for each number: its table, columns and values, the values as SQL over `i`. */
const FILLED: [table: string, row: Record<string, string>][] = [
  ['clicks', { id: id('clk'), account_id: "'acc_1'", link_id: "'lnk_1'", created_at: 'i' }],
  [
    'customers',
    {
      id: id('cus'),
      account_id: "'acc_1'",
      external_id: "'user ' || CAST(i AS TEXT)",
      email: some("'Pia@example.com'"),
      email_lower: some("'pia@example.com'"),
      name: "'Zoë ' || CAST(i AS TEXT)",
      click_id: some(id('clk')),
      partner_id: "'ptr_1'",
      program_id: "'prg_1'",
      created_at: 'i',
    },
  ],
  [
    'leads',
    {
      id: id('led'),
      account_id: "'acc_1'",
      customer_id: id('cus'),
      event_name: "'Sign up'",
      click_id: id('clk'),
      link_id: "'lnk_1'",
      partner_id: "'ptr_1'",
      metadata: some(`'{"plan":"pro"}'`),
      created_at: 'i',
    },
  ],
  [
    'identities',
    {
      account_id: "'acc_1'",
      processor: "'stripe'",
      kind: "'customer'",
      value: id('stripe'),
      customer_id: some(id('cus')),
    },
  ],
  [
    'payments',
    {
      id: id('pmt'),
      account_id: "'acc_1'",
      processor: "'stripe'",
      state: "'counted'",
      sale_id: id('sal'),
      created_at: 'i',
    },
  ],
  ['payment_references', { account_id: "'acc_1'", processor: "'stripe'", value: id('pi'), payment_id: id('pmt') }],
  [
    'sales',
    {
      id: id('sal'),
      account_id: "'acc_1'",
      program_id: "'prg_1'",
      partner_id: "'ptr_1'",
      customer_id: id('cus'),
      payment_id: id('pmt'),
      event_name: "'Purchase'",
      invoice_id: some(id('in')),
      payment_processor: "'stripe'",
      amount: '100',
      gross_amount: '119',
      currency: "'usd'",
      commission_amount: '20',
      terms: "'{}'",
      available_at: 'i',
      refunded_amount: '0',
      disputed_open: '0',
      matched_by: "'external_id'",
      steps: "'[]'",
      occurred_at: 'i',
      created_at: 'i',
    },
  ],
  [
    'ledger_entries',
    {
      id: id('ent'),
      account_id: "'acc_1'",
      partner_id: "'ptr_1'",
      sale_id: some(id('sal')),
      kind: "'commission'",
      amount: 'CASE WHEN i % 7 = 0 THEN -9007199254740991 ELSE 20 END',
      currency: "'usd'",
      reason: some("'why'"),
      available_at: 'i',
      created_at: 'i',
    },
  ],
  [
    'open_entries',
    {
      partner_id: "'ptr_1'",
      currency: "'usd'",
      due_at: '8640000000000000 - i % 9',
      entry_id: id('ent'),
      account_id: "'acc_1'",
      sale_id: some(id('sal')),
      kind: "'commission'",
      amount: '20',
      created_at: 'i',
    },
  ],
  ['payout_entries', { payout_id: "'pay_1'", account_id: "'acc_1'", entry_id: id('ent'), live: 'i % 2' }],
];

const OWNERS = [
  `INSERT INTO accounts (id, name, created_at) VALUES ('acc_1', 'Example Ltd', 1)`,
  `INSERT INTO programs (id, account_id, name, description, commission, hold_days, minimum_payout, amount_basis,
     email_matching, self_referral, tracked_hosts, portal, created_at)
   VALUES ('prg_1', 'acc_1', 'Partners', '', '{}', 30, '{}', 'net', 0, 'off', '[]', '{}', 1)`,
  `INSERT INTO partners (id, account_id, program_id, name, email, status, created_at)
   VALUES ('ptr_1', 'acc_1', 'prg_1', 'Pia', 'pia@example.com', 'active', 1)`,
  `INSERT INTO links (id, account_id, program_id, partner_id, domain, key, url, created_at)
   VALUES ('lnk_1', 'acc_1', 'prg_1', 'ptr_1', 'refer.example.com', 'pia', 'https://example.com/', 1)`,
  `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, created_at)
   VALUES ('pay_1', 'acc_1', 'prg_1', 'ptr_1', 'usd', 'paid', 1)`,
];

const fillSql = (table: string, row: Record<string, string>) =>
  `INSERT INTO ${table} (${Object.keys(row).join(', ')})
   WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
   SELECT ${Object.values(row).join(', ')} FROM n`;

const contentsOf = (database: Database, tables: Record<string, string>) =>
  database.read(async (tx) => {
    const contents: Record<string, unknown[]> = {};
    for (const [table, order] of Object.entries(tables)) {
      contents[table] = await tx.all(`SELECT * FROM ${table} ORDER BY ${order}`);
    }
    return contents;
  });

/** Tables and indexes by name, with their columns and conditions, regardless of how a table stores its rows. */
function schemaOf(path: string): unknown[] {
  const raw = new BetterSqlite3(path, { readonly: true });
  const indexes = raw
    .prepare("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    .all()
    .map((index) => JSON.stringify(index).replace('email_lower, id)', 'email_lower)'));
  const foreignKeys = Object.keys({ ...REBUILT, ...REFERRING }).map((table) =>
    raw.pragma(`foreign_key_list(${table})`),
  );
  raw.close();
  return [indexes, foreignKeys];
}

describe.each(engines)('the tables whose rows migration 18 moves, on %s', (engine) => {
  let empty: { url: string; remove(): Promise<void> };
  let before: { folder: URL; remove(): Promise<void> };
  let after: { folder: URL; remove(): Promise<void> };
  beforeEach(async () => {
    empty = await createEmptyDatabase(engine);
    before = await migrationsBefore('0018');
    after = await migrationsBefore('0019');
  });
  afterEach(() => Promise.all([empty, before, after].map(({ remove }) => remove())));

  it('keep every row, index and reference', async () => {
    const old = await openDatabase(empty.url, { migrationsFolder: before.folder });
    await old.write(async (tx) => {
      for (const sql of OWNERS) await tx.run(sql);
      for (const [table, row] of FILLED) await tx.run(fillSql(table, row));
    });
    const tables = { ...REBUILT, ...REFERRING };
    const rows = await contentsOf(old, tables);
    expect(Object.values(rows).map(({ length }) => length)).toEqual(Object.keys(tables).map(() => ROWS));
    await old.close();
    const path = sqlitePathOf(empty.url);
    const schema = path === null ? null : schemaOf(path);

    const events: MigrationEvent[] = [];
    const migrated = await openDatabase(empty.url, {
      migrationsFolder: after.folder,
      announce: (event) => void events.push(event),
    });
    expect(await contentsOf(migrated, tables)).toEqual(rows);
    const [planned, started] = events;
    expect(planned).toMatchObject({ kind: 'planned', migrations: [{ version: 18, name: 'row_layout' }] });
    // PostgreSQL stores rows and keys separately
    expect(planned?.kind === 'planned' && planned.seconds > 0).toBe(engine === 'sqlite');
    const statementCount = engine === 'sqlite' ? expect.any(Number) : 0;
    expect(started).toEqual({ kind: 'started', version: 18, name: 'row_layout', statementCount });
    const refused = (sql: string) =>
      expect(
        migrated.write((tx) => tx.run(sql)),
        sql,
      ).rejects.toThrow();
    await refused("DELETE FROM customers WHERE id = 'cus_0000000001'");
    await refused("DELETE FROM ledger_entries WHERE id = 'ent_0000000001'");
    await refused("UPDATE leads SET customer_id = 'cus_none' WHERE id = 'led_0000000001'");
    await refused("UPDATE ledger_entries SET sale_id = 'sal_none' WHERE id = 'ent_0000000001'");
    await refused("UPDATE customers SET id = NULL WHERE id = 'cus_0000000001'");
    await refused("UPDATE customers SET external_id = 'user 2' WHERE id = 'cus_0000000001'");
    await refused("UPDATE payment_references SET value = 'pi_0000000002' WHERE value = 'pi_0000000001'");
    await migrated.close();
    if (path === null) return;
    expect(schemaOf(path)).toEqual(schema);
    const raw = new BetterSqlite3(path, { readonly: true });
    expect(raw.pragma('foreign_key_check')).toEqual([]);
    expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
    const withoutRowid = raw.prepare<[], { name: string }>('SELECT name FROM pragma_table_list WHERE wr = 1').all();
    expect(withoutRowid.map(({ name }) => name).filter((name) => name in REBUILT)).toEqual([]);
    expect(withoutRowid.length).toBeGreaterThan(0);
    raw.close();
  });
});
