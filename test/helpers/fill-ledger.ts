import type { TestApp } from './app.ts';

/** Entries that are due, and the partners they belong to. */
export interface Filling {
  partners: number;
  entriesPerPartner: number;
}

/** Rows in one statement, which has to end within PostgreSQL's time limit. */
const ROWS_PER_STATEMENT = 20_000;

/** Fills the ledger with set-based SQL: each partner has entries of 1, 2, … minor units, all due, on a hundred days. */
export async function fillLedger(app: TestApp, { partners, entriesPerPartner }: Filling): Promise<void> {
  const { accountId, programId } = app;
  const write = (sql: string, parameters: Record<string, string | number>) =>
    app.service.database.write((tx) => tx.run(sql, parameters));
  await write(PARTNERS_SQL, { accountId, programId, partners });
  const step = Math.max(1, Math.floor(ROWS_PER_STATEMENT / partners));
  for (let from = 1; from <= entriesPerPartner; from += step) {
    const to = Math.min(entriesPerPartner, from + step - 1);
    await write(ENTRIES_SQL, { accountId, from, to, perDay: Math.ceil(entriesPerPartner / 100) });
    const range = { accountId, from: idOf(from), to: idOf(to + 1) };
    await write(OPEN_SQL, range);
    await write(DAYS_SQL, range);
    await write(QUEUED_SQL, { ...range, programId });
  }
}

/** Sorts before the ids of every partner's `number`th entry. */
const idOf = (number: number) => `ent_${10_000_000 + number}_`;

const numbers = (from: string, to: string) =>
  `WITH RECURSIVE numbers (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to})`;

const PARTNERS_SQL = `
  INSERT INTO partners (id, account_id, program_id, name, email, status, created_at)
  ${numbers('1', 'CAST(@partners AS BIGINT)')}
  SELECT 'ptr_' || n, @accountId, @programId, 'Partner ' || n, n || '@example.com', 'active', 1 FROM numbers`;

const ENTRIES_SQL = `
  INSERT INTO ledger_entries (id, account_id, partner_id, kind, amount, currency, available_at, created_at)
  ${numbers('CAST(@from AS BIGINT)', 'CAST(@to AS BIGINT)')}
  SELECT 'ent_' || (10000000 + n) || '_' || p.id, @accountId, p.id, 'adjustment', n, 'usd', n / @perDay * 86400000,
    n / @perDay * 86400000
  FROM numbers CROSS JOIN partners p`;

const ENTRIES = 'ledger_entries WHERE account_id = @accountId AND id >= @from AND id < @to';

const OPEN_SQL = `
  INSERT INTO open_entries (partner_id, currency, due_at, entry_id, account_id, sale_id, kind, amount, created_at)
  SELECT partner_id, currency, available_at, id, account_id, sale_id, kind, amount, created_at FROM ${ENTRIES}`;

const DAYS_SQL = `
  INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid)
  SELECT partner_id, currency, created_at / 86400000, available_at / 86400000, SUM(amount), 0, 0, 0 FROM ${ENTRIES}
  GROUP BY 1, 2, 3, 4
  ON CONFLICT (partner_id, currency, day, due_day) DO UPDATE SET earned = ledger_days.earned + excluded.earned`;

const QUEUED_SQL = `
  INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at)
  SELECT 'pay_00_' || partner_id, @accountId, @programId, partner_id, currency, 'queued', SUM(amount), COUNT(*), 1
  FROM ${ENTRIES} GROUP BY partner_id, currency
  ON CONFLICT (partner_id, currency) WHERE status = 'queued' DO UPDATE
  SET amount = payouts.amount + excluded.amount, entry_count = payouts.entry_count + excluded.entry_count`;
