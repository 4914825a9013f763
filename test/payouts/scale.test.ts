import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/audit/ledger.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const run = promisify(execFile);
const CHILD = fileURLToPath(new URL('children/run-payouts.ts', import.meta.url));

const PARTNERS = 1_000;
const ENTRIES_PER_PARTNER = 100;
const TOOK_MS_MAX = { sqlite: 10_000, postgres: 20_000 };

describe.each(engines)('a run over 100,000 entries on %s', (engine) => {
  it(`takes less than ${TOOK_MS_MAX[engine] / 1000} s and 300 MB, reports progress, and lets others write meanwhile`, {
    // plus filling the tables and auditing them
    timeout: 3 * TOOK_MS_MAX[engine],
  }, async () => {
    const app = await createTestApp(engine);
    try {
      await fill(app);
      const { stdout } = await run(process.execPath, [CHILD, app.databaseUrl, app.accountId]);
      const result = JSON.parse(stdout);
      const counts = { payoutCount: PARTNERS, entryCount: PARTNERS * ENTRIES_PER_PARTNER };
      expect(result).toMatchObject({ ...counts, totals: [{ ...counts, currency: 'usd', amount: PARTNERS * 5_050 }] });
      expect(result.progressCount).toBeGreaterThan(10);
      expect(result.tookMs).toBeLessThan(TOOK_MS_MAX[engine]);
      expect(result.memoryMb).toBeLessThan(300);
      expect(result.stepsWrittenIn).toBeGreaterThan(10);
      expect(result.stepsWaited).toBeLessThan(10);
      for await (const found of checkLedger(app.service, app.accountId)) expect(found).toBeUndefined();
    } finally {
      await app.close();
    }
  });
});

async function fill({ service, accountId, programId }: TestApp): Promise<void> {
  const parameters = { accountId, programId, partners: PARTNERS, entries: ENTRIES_PER_PARTNER };
  for (const sql of [PARTNERS_SQL, ENTRIES_SQL, QUEUED_SQL]) {
    await service.database.write((tx) => tx.run(sql, parameters));
  }
}

const numbers = (max: string) =>
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${max})`;

const PARTNERS_SQL = `
  INSERT INTO partners (id, account_id, program_id, name, email, status, created_at)
  ${numbers('CAST(@partners AS BIGINT)')}
  SELECT 'ptr_' || n, @accountId, @programId, 'Partner ' || n, n || '@example.com', 'active', 1 FROM numbers`;

const ENTRIES_SQL = `
  INSERT INTO ledger_entries (id, account_id, partner_id, kind, amount, currency, available_at, created_at)
  ${numbers('CAST(@entries AS BIGINT)')}
  SELECT 'ent_' || p.id || '_' || n, @accountId, p.id, 'commission', n, 'usd', 1, 1
  FROM partners p CROSS JOIN numbers`;

const QUEUED_SQL = `
  INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, created_at)
  SELECT 'pay_' || id, @accountId, @programId, id, 'usd', 'queued', 1 FROM partners`;
