import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAccounts } from '../../src/accounts/accounts.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { deleteAccount, historyOf } from '../../src/removal/delete-account.ts';
import { type Database, openDatabase } from '../../src/storage/open.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { fillAccount, filledId } from '../helpers/filled-database.ts';
import { createTestService } from '../helpers/service.ts';

/** Tables of the whole service, which belong to no account. */
const SHARED = ['rate_limits', 'scheduled_runs', 'schema_migrations', 'visitor_salts'];
const SALES = 300;

describe.each(engines)('the deletion of an account, on %s', (engine) => {
  let test: Awaited<ReturnType<typeof createTestDatabase>>;
  let database: Database;
  const [first, second] = [1, 2].map((number) => filledId('acc', number, 1) as AccountId) as [AccountId, AccountId];
  beforeAll(async () => {
    test = await createTestDatabase(engine);
    database = await openDatabase(test.url, { sqlite: { foreignKeys: false } });
    for (const account of [1, 2]) {
      await database.write(async (tx) => {
        await fillAccount((sql, parameters) => tx.run(sql, parameters), { account, sales: SALES });
      });
      await database.write(async (tx) => {
        for (const sql of OTHER_ROWS) await tx.run(sql, ids(account));
      });
    }
  });
  afterAll(async () => {
    await database.close();
    await test.remove();
  });

  const ids = (account: number) => ({
    account: filledId('acc', account, 1),
    program: filledId('prg', account, 1),
    partner: filledId('ptr', account, 1),
    operator: `opr_${account}`,
    link: filledId('lnk', account, 1),
    endpoint: filledId('whe', account, 1),
  });

  const tableNames = async () => {
    const sql =
      engine === 'sqlite'
        ? "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'";
    return (await database.read((tx) => tx.all<{ name: string }>(sql))).map(({ name }) => name);
  };
  const counts = async () => {
    const rows: Record<string, number> = {};
    for (const table of await tableNames()) {
      if (SHARED.includes(table)) continue;
      const row = await database.read((tx) => tx.get<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`));
      rows[table] = row?.count ?? 0;
    }
    return rows;
  };

  it('waits until no payout is being sent, and changes nothing before', async () => {
    const service = createTestService({ database });
    const set = (status: string) =>
      database.write((tx) =>
        tx.run('UPDATE payout_transfers SET status = @status WHERE account_id = @first', { status, first }),
      );
    const before = await counts();
    await set('sending');
    await expect(deleteAccount(service, first, { cachesMs: 0 })).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringMatching(
        /Payouts of acc_\w+ are being sent: \d+ by Stripe\. Wait until each is paid, failed or held/,
      ),
    });
    expect(await counts()).toEqual(before);
    await set('held');
  });

  it('removes all of its rows, table by table, and nothing of another account, also after an interruption', async () => {
    const service = createTestService({ database });
    const before = await counts();
    // a new table belongs to an account, and must be deleted with it, or is listed above
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);
    expect(await historyOf(service, first)).toEqual(['sales', 'leads', 'ledger entries', 'deliveries']);

    let steps = 0;
    const interrupt = () => {
      steps += 1;
      if (steps === 40) throw new Error('Ctrl-C');
    };
    const options = { rowsPerUnit: 37, cachesMs: 0 };
    await expect(deleteAccount(service, first, { ...options, onProgress: interrupt })).rejects.toThrow('Ctrl-C');
    expect((await listAccounts(service)).map(({ id }) => id)).toEqual([first, second]);
    await deleteAccount(service, first, options);

    expect((await listAccounts(service)).map(({ id }) => id)).toEqual([second]);
    // both accounts were filled in the same way
    const half = Object.fromEntries(Object.entries(before).map(([table, count]) => [table, count / 2]));
    expect(await counts()).toEqual(half);
    if (engine === 'sqlite') {
      expect(await database.read((tx) => tx.all('SELECT * FROM pragma_foreign_key_check'))).toEqual([]);
    }
    await deleteAccount(service, second, options);
    expect(Object.values(await counts()).every((count) => count === 0)).toBe(true);
  });
});

/** A row in each table that a filled account leaves empty. */
const OTHER_ROWS = [
  `INSERT INTO imports (id, account_id, source, settings, dry_run, status, file_bytes, received_bytes, actor_id, actor_name,
     attempts, created_at, changed_at, due_at)
   VALUES ('imp_' || @account, @account, 'csv', '{}', 0, 'uploading', 2, 1, 'a', 'a', 0, 1, 1, 1)`,
  `INSERT INTO import_parts (import_id, number, bytes, content) VALUES ('imp_' || @account, 1, 1, 'x')`,
  `INSERT INTO reconciliations (id, account_id, endpoint_id, since, dry_run, status, page_count, read_count, known_count,
     ignored_count, sale_count, reversal_count, unattributed_count, failed_count, other_count, not_read, failures,
     actor_id, actor_name, created_at, due_at)
   VALUES ('rec_' || @account, @account, @endpoint, 1, 0, 'waiting', 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]', 0, 'a', 'a', 1, 1)`,
  `INSERT INTO reconciliation_items (reconciliation_id, delivery_key, position, occurred_at, outcome)
   VALUES ('rec_' || @account, 'key', 0, 1, 'sale')`,
  `INSERT INTO reconciliation_references (reconciliation_id, reference, delivery_key)
   VALUES ('rec_' || @account, 'in_1', 'key')`,
  `INSERT INTO exports (id, account_id, actor_id, actor_name, created_at, expires_at, download_count)
   VALUES ('exp_' || @account, @account, 'a', 'a', 1, 1, 0)`,
  `INSERT INTO api_keys (id, account_id, name, hash, prefix, last_four, created_at)
   VALUES ('key' || @operator, @account, 'Key', @account, 'rb', 'abcd', 1)`,
  `INSERT INTO operators (id, account_id, name, role, created_at) VALUES (@operator, @account, 'Olga', 'owner', 1)`,
  `INSERT INTO operator_sessions (id, account_id, operator_id, hash, opened_by, created_at, last_seen_at, expires_at)
   VALUES (@operator, @account, @operator, @account, 'code', 1, 1, 2)`,
  `INSERT INTO sign_in_codes (hash, operator_id, purpose, created_at, expires_at)
   VALUES (@account, @operator, 'sign-in', 1, 2)`,
  `INSERT INTO embed_tokens (hash, account_id, program_id, partner_id, created_at, expires_at)
   VALUES (@account, @account, @program, @partner, 1, 2)`,
  `INSERT INTO portal_codes (hash, account_id, program_id, partner_id, created_at, expires_at)
   VALUES (@account, @account, @program, @partner, 1, 2)`,
  `INSERT INTO payout_files (id, account_id, rail, currency, payout_count, amount, content_type, file_name, created_at,
     created_by)
   VALUES ('pfl' || @operator, @account, 'sepa', 'eur', 1, 1, 'application/xml', 'file.xml', 1, 'command line')`,
  `INSERT INTO payout_file_rows (file_id, payout_id, live)
   SELECT 'pfl' || @operator, p.id, 1 FROM payouts p WHERE p.account_id = @account`,
  `INSERT INTO rail_connections (id, account_id, rail, platform_id, is_live, sealed_secrets, created_at, created_by)
   VALUES ('rcn' || @operator, @account, 'stripe', 'acct_1', 0, CAST('x' AS BYTEA), 1, 'command line')`,
  `INSERT INTO payout_transfers (payout_id, account_id, rail, platform_id, is_live, amount, currency, status, created_at,
     created_by, attempts)
   SELECT p.id, @account, 'stripe', 'acct_1', 0, 1, 'eur', 'held', 1, 'command line', 1 FROM payouts p WHERE p.account_id = @account`,
  `INSERT INTO program_origins (program_id, origin) VALUES (@program, 'https://shop.example.com')`,
  `INSERT INTO operator_identities (operator_id, issuer, subject, created_at) VALUES (@operator, 'https://id.example.com', 'o', 1)`,
  `INSERT INTO link_external_ids (account_id, external_id, link_id) VALUES (@account, 'blog', @link)`,
  `INSERT INTO erasure_marks (account_id, mark, created_at) VALUES (@account, 'mark', 1)`,
  `INSERT INTO imported_records (account_id, source, kind, source_id, own_id)
   VALUES (@account, 'rewardful', 'partner', 'aff_1', 'ptr_1')`,
  `INSERT INTO webhook_refusals (account_id, endpoint_id, kind, cause, reason, header_names, refusal_count, first_refused_at,
     last_refused_at)
   VALUES (@account, @endpoint, 'kind', 'no_match', 'reason', '[]', 1, 1, 1)`,
  `INSERT INTO event_endpoints (id, account_id, kind, url, types, status, created_at, failures)
   VALUES ('evp' || @operator, @account, 'webhook', 'https://hooks.example.com', ' lead.created ', 'enabled', 1, 0)`,
  `INSERT INTO events (id, account_id, type, body, created_at) VALUES ('evt', @account, 'lead.created', '{}', 1)`,
  `INSERT INTO event_deliveries (endpoint_id, event_id, account_id, status, attempts, tries, occurred_at)
   VALUES ('evp' || @operator, 'evt', @account, 'waiting', 1, 1, 1)`,
  `INSERT INTO event_attempts (endpoint_id, event_id, number, attempted_at, duration_ms)
   VALUES ('evp' || @operator, 'evt', 1, 1, 1)`,
  `INSERT INTO event_approvals (account_id, sale_id, due_at) VALUES (@account, 'sal', 1)`,
  `INSERT INTO job_cursors (job, account_id, last_id) VALUES ('bodies', @account, 'x')`,
];
