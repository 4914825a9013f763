import { describe, expect, it } from 'vitest';
import type { Database, SqlParameters } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';
import { FromScratch } from '../helpers/from-scratch.ts';

const DAY_MS = 86_400_000;
const SALES = 60;

const base = { account_id: 'acc_1', created_at: 1 };
const owner = { ...base, program_id: 'prg_1', partner_id: 'ptr_1' };
const numbered = (rows: (n: number) => SqlParameters[]) => Array.from({ length: SALES }, (_, n) => rows(n)).flat();
const partnerOf = (n: number) => (n % 4 === 0 ? 'ptr_2' : 'ptr_1');
const currencyOf = (n: number) => (n % 8 === 3 ? 'eur' : 'usd');
/** The first partner's commissions in dollars. */
const paysIn = (from: number, to: number) =>
  Array.from({ length: SALES }, (_, n) => n).filter(
    (n) => n >= from && n < to && n % 7 !== 0 && partnerOf(n) === 'ptr_1' && currencyOf(n) === 'usd',
  );
const sumOf = (sales: readonly number[]) => sales.reduce((sum, n) => sum + 100 + n, 0);

const payout = (id: string, status: string, sales: readonly number[]) => {
  const row = { ...owner, id, currency: 'usd', status, amount: sumOf(sales), entry_count: sales.length };
  return status === 'queued' ? { ...row, amount: null, entry_count: null } : row;
};
const assigned = (id: string, live: number, sales: readonly number[]) =>
  sales.map((n) => ({ payout_id: id, account_id: 'acc_1', entry_id: `ent_${n}`, live }));

/** Sales of two partners in two currencies, some flagged, some refunded; a payout in each state. */
const ROWS: [table: string, rows: SqlParameters[]][] = [
  ['accounts', [{ id: 'acc_1', name: 'Example Ltd', created_at: 1 }]],
  [
    'programs',
    [
      {
        ...base,
        ...{ id: 'prg_1', name: 'Partners', description: '', commission: '{}', hold_days: 30, minimum_payout: '{}' },
        ...{ amount_basis: 'net', email_matching: 0, self_referral: 'flag', tracked_hosts: '[]', portal: '{}' },
      },
    ],
  ],
  [
    'partners',
    ['ptr_1', 'ptr_2'].map((id) => {
      return { ...base, id, program_id: 'prg_1', name: 'Pia', email: `${id}@example.com`, status: 'active' };
    }),
  ],
  ['customers', [{ ...owner, id: 'cus_1', external_id: 'user_1' }]],
  [
    'payments',
    numbered((n) => [{ ...base, id: `pmt_${n}`, processor: 'stripe', state: 'counted', sale_id: `sal_${n}` }]),
  ],
  [
    'sales',
    numbered((n) => [
      {
        ...{ ...owner, id: `sal_${n}`, partner_id: partnerOf(n), customer_id: 'cus_1', payment_id: `pmt_${n}` },
        ...{ event_name: 'Purchase', payment_processor: 'stripe', amount: 1000, gross_amount: 1000 },
        ...{ currency: currencyOf(n), commission_amount: 100 + n, terms: '{}', available_at: (n % 9) * DAY_MS },
        ...{ refunded_amount: 0, disputed_open: 0, matched_by: 'external_id', steps: '[]', occurred_at: n },
        review: n % 7 === 0 ? 'flagged' : null,
      },
    ]),
  ],
  [
    'ledger_entries',
    numbered((n) => {
      const entry = { ...base, partner_id: partnerOf(n), sale_id: `sal_${n}`, currency: currencyOf(n), reason: null };
      const time = { available_at: (n % 9) * DAY_MS, created_at: (n % 5) * DAY_MS + n };
      const commission = { ...entry, ...time, id: `ent_${n}`, kind: 'commission', amount: 100 + n };
      const reversal = { ...commission, id: `ent_r${n}`, kind: 'reversal', amount: -50, created_at: 6 * DAY_MS };
      return n % 3 === 0 ? [commission, reversal] : [commission];
    }),
  ],
  [
    'payouts',
    [
      payout('pay_1', 'paid', paysIn(0, 20)),
      payout('pay_2', 'failed', paysIn(20, 30)),
      payout('pay_3', 'processing', paysIn(25, 40)),
      ...['pay_4', 'pay_5', 'pay_6', 'pay_7'].map((id, index) => ({
        ...payout(id, 'queued', []),
        partner_id: index < 2 ? 'ptr_1' : 'ptr_2',
        currency: index % 2 === 0 ? 'usd' : 'eur',
      })),
    ],
  ],
  [
    'payout_entries',
    [
      ...assigned('pay_1', 1, paysIn(0, 20)),
      ...assigned('pay_2', 0, paysIn(20, 30)),
      ...assigned('pay_3', 1, paysIn(25, 40)),
    ],
  ],
];

async function fill(database: Database): Promise<void> {
  await database.write(async (tx) => {
    for (const [table, rows] of ROWS) {
      for (const row of rows) {
        const columns = Object.keys(row);
        const values = columns.map((column) => `@${column}`).join(', ');
        await tx.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`, row);
      }
    }
  });
}

describe.each(engines)('the running sums of a database of an earlier version, on %s', (engine) => {
  it('match its entries', async () => {
    const empty = await createEmptyDatabase(engine);
    const earlier = await migrationsBefore('0010');
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await fill(before);
    await before.close();
    const after = await openDatabase(empty.url);
    const scratch = await FromScratch.read(after, 'acc_1');
    expect(scratch.entries.filter(({ isFlagged }) => isFlagged === 1).length).toBeGreaterThan(5);
    expect(scratch.assignments.filter(({ live }) => live === 2)).toHaveLength(paysIn(0, 20).length);
    await scratch.requireStored();
    await after.close();
    await empty.remove();
    await earlier.remove();
  });
});
