import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { SqlParameters, SqlValue } from '../../src/storage/database.ts';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';

const REBUILT = ['deliveries', 'payments', 'sales', 'ledger_entries', 'payout_entries'] as const;

const base = { account_id: 'acc_1', created_at: 1 };
const owner = { ...base, program_id: 'prg_1', partner_id: 'ptr_1' };
const numbered = (count: number, row: (n: number) => SqlParameters) => Array.from({ length: count }, (_, n) => row(n));

/** Rows of the rebuilt tables, and of tables with references from or to them, in the previous version. */
const ROWS: [table: string, rows: SqlParameters[]][] = [
  ['accounts', [{ id: 'acc_1', name: 'Example Ltd', created_at: 1 }]],
  [
    'programs',
    [
      {
        ...base,
        id: 'prg_1',
        name: 'Partners',
        description: '',
        commission: '{}',
        hold_days: 30,
        minimum_payout: '{}',
        amount_basis: 'net',
        email_matching: 0,
        self_referral: 'off',
        tracked_hosts: '[]',
        portal: '{}',
      },
    ],
  ],
  [
    'partners',
    ['ptr_1', 'ptr_2', 'ptr_3'].map((id) => ({
      ...base,
      id,
      program_id: 'prg_1',
      name: 'Pia',
      email: `${id}@example.com`,
      status: 'active',
    })),
  ],
  ['links', [{ ...owner, id: 'lnk_1', domain: 'refer.example.com', key: 'pia', url: 'https://example.com/' }]],
  [
    'customers',
    [
      { ...owner, id: 'cus_1', external_id: 'user_1' },
      { ...owner, id: 'cus_2', external_id: 'user_2', partner_id: 'ptr_2', link_id: 'lnk_1' },
    ],
  ],
  [
    'identities',
    [{ account_id: 'acc_1', processor: 'stripe', kind: 'customer', value: 'cus_9', external_id: 'user_1' }],
  ],
  [
    'webhook_endpoints',
    [
      {
        ...base,
        id: 'whe_1',
        program_id: 'prg_1',
        processor: 'stripe',
        secret_count: 0,
        has_authorization: 0,
        accept_test_events: 0,
        count_payment_intents: 0,
      },
    ],
  ],
  [
    'deliveries',
    numbered(300, (n) => ({
      id: `dlv_${n}`,
      account_id: 'acc_1',
      endpoint_id: 'whe_1',
      processor: 'stripe',
      delivery_key: `evt_${n}`,
      status: n % 7 === 0 ? 'failed' : 'processed',
      outcome: 'sale',
      reason: n % 2 === 0 ? null : 'why',
      attempts: 1,
      next_attempt_at: n % 7 === 0 ? n : null,
      received_at: n,
      headers: '{}',
      body: n % 3 === 0 ? null : Buffer.from([0, 255, n % 256]),
    })),
  ],
  [
    'payments',
    numbered(300, (n) => ({
      ...base,
      id: `pmt_${n}`,
      processor: 'stripe',
      state: 'counted',
      sale_id: `sal_${n}`,
      endpoint_id: 'whe_1',
    })),
  ],
  [
    'sales',
    numbered(300, (n) => ({
      ...owner,
      id: `sal_${n}`,
      partner_id: n === 1 ? 'ptr_3' : 'ptr_1',
      link_id: n === 1 ? 'lnk_1' : null,
      customer_id: 'cus_1',
      payment_id: `pmt_${n}`,
      event_name: 'Purchase',
      invoice_id: n % 5 === 0 ? null : `in_${n}`,
      payment_processor: 'stripe',
      amount: 9_007_199_254_740_991 - n,
      gross_amount: n,
      currency: 'USD',
      commission_amount: n,
      terms: '{}',
      available_at: n,
      refunded_amount: 0,
      disputed_open: 0,
      matched_by: 'external_id',
      steps: '[]',
      occurred_at: n,
    })),
  ],
  [
    'ledger_entries',
    numbered(300, (n) => ({
      ...owner,
      id: `ent_${n}`,
      sale_id: n % 10 === 0 ? null : `sal_${n}`,
      kind: n % 10 === 0 ? 'adjustment' : 'commission',
      amount: -n,
      currency: 'USD',
      available_at: n,
    })),
  ],
  ['payouts', [{ ...owner, id: 'pay_1', currency: 'USD', status: 'paid', amount: 1 }]],
  ['payout_entries', numbered(100, (n) => ({ payout_id: 'pay_1', entry_id: `ent_${n}`, live: n % 2 }))],
];

function insert(table: string, row: SqlParameters): [string, SqlParameters] {
  const columns = Object.keys(row);
  const values = columns.map((column) => `@${column}`);
  return [`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`, row];
}

describe.each(engines)('the tables that migrations 6 to 8 rebuild, on %s', (engine) => {
  it('keep every row, and their constraints still hold', async () => {
    const empty = await createEmptyDatabase(engine);
    const earlier = await migrationsBefore('0006');
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await before.write(async (tx) => {
      for (const [table, rows] of ROWS) for (const row of rows) await tx.run(...insert(table, row));
    });
    const contents = (database: typeof before) =>
      database.read(async (tx) => {
        const tables: Record<string, Record<string, SqlValue>[]> = {};
        for (const table of REBUILT) {
          const order = table === 'payout_entries' ? 'entry_id' : 'id';
          tables[table] = await tx.all(`SELECT * FROM ${table} ORDER BY ${order}`);
        }
        return tables;
      });
    const kept = await contents(before);
    expect(kept.sales).toHaveLength(300);
    await before.close();

    const after = await openDatabase(empty.url);
    expect(after.schemaVersion).toBeGreaterThanOrEqual(8);
    const {
      deliveries = [],
      sales = [],
      payments = [],
      ledger_entries: entries = [],
      payout_entries: assigned = [],
      ...unchanged
    } = kept;
    expect(await contents(after)).toEqual({
      ...unchanged,
      deliveries: deliveries.map((row) => ({ ...row, is_read_back: 0 })),
      sales: sales.map((row) => ({ ...row, is_bare: 0, paid_lines: null, stated_at: null })),
      payments: payments.map(({ endpoint_id: _, ...row }) => row),
      ledger_entries: entries.map(({ program_id: _, ...row }) => row),
      payout_entries: assigned.map((row) => {
        const [, n = 0] = String(row.entry_id).split('_');
        // the payout was paid, and every tenth entry is an adjustment
        return {
          ...row,
          account_id: 'acc_1',
          live: row.live === 1 ? 2 : 0,
          sale_id: Number(n) % 10 === 0 ? null : `sal_${n}`,
        };
      }),
    });
    const holders = await after.read((tx) =>
      tx.all('SELECT link_id, partner_id FROM link_holders ORDER BY partner_id'),
    );
    expect(holders).toEqual(['ptr_1', 'ptr_2', 'ptr_3'].map((id) => ({ link_id: 'lnk_1', partner_id: id })));
    const refused = async (table: string, row: SqlParameters) => {
      await expect(
        after.write((tx) => tx.run(...insert(table, row))),
        table,
      ).rejects.toThrow();
    };
    const rowOf = (table: string, n: number) => ROWS.find(([name]) => name === table)?.[1][n] ?? {};
    await refused('sales', { ...rowOf('sales', 1), invoice_id: null });
    await refused('sales', { ...rowOf('sales', 1), id: 'sal_new' });
    await refused('sales', { ...rowOf('sales', 1), id: 'sal_new', invoice_id: null, customer_id: 'cus_none' });
    await refused('deliveries', { ...rowOf('deliveries', 1), id: 'dlv_new' });
    await refused('deliveries', { ...rowOf('deliveries', 1), delivery_key: 'evt_new' });
    await refused('deliveries', {
      ...rowOf('deliveries', 1),
      id: 'dlv_new',
      delivery_key: 'evt_new',
      endpoint_id: 'no',
    });
    const { program_id: _, ...entry } = rowOf('ledger_entries', 1);
    await refused('ledger_entries', { ...entry, id: 'ent_new', sale_id: 'sal_none' });
    await refused('ledger_entries', entry);
    const assignment = { payout_id: 'pay_1', account_id: 'acc_1', entry_id: 'ent_299', live: 1 };
    await refused('payout_entries', { ...assignment, entry_id: 'ent_1' });
    await refused('payout_entries', { ...assignment, payout_id: 'pay_none' });
    // PostgreSQL no longer checks this: it would read the whole table for each row that is deleted with its account
    if (engine === 'sqlite') {
      await refused('payout_entries', { ...assignment, entry_id: 'ent_none' });
      await refused('payout_entries', { ...assignment, account_id: 'acc_2' });
    }
    await after.write((tx) => tx.run(...insert('payout_entries', assignment)));
    await after.close();
    const path = sqlitePathOf(empty.url);
    if (path !== null) {
      const raw = new BetterSqlite3(path, { readonly: true });
      expect(raw.pragma('foreign_key_check')).toEqual([]);
      expect(raw.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(raw.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%kept_%'").all()).toEqual([]);
      raw.close();
    }
    await empty.remove();
    await earlier.remove();
  });
});
