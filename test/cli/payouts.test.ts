import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addEntries, type EntryOwner } from '../../src/ledger/entries.ts';
import type { Unit } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { asId } from '../helpers/ids.ts';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();
const AVAILABLE_AT = Date.UTC(2026, 0, 1);
const ENTRIES = 10_000;
const databaseUrl = () => `file:${join(workplace.folder, 'data/refbridge.db')}`;

let partnerId: string;
let owner: EntryOwner;

beforeAll(async () => {
  const { accountId, programId } = await workplace.json('setup');
  partnerId = (await workplace.json('partners', 'create', '--name', '@Ana', '--email', 'ana@example.com')).id;
  const database = await openDatabase(databaseUrl());
  const terms = { saleId: null, currency: 'usd', availableAt: AVAILABLE_AT, isUndecided: false };
  owner = { accountId, programId, partnerId: asId<'ptr'>(partnerId), ...terms };
  await database.write(async (tx) => {
    const adjustment = { kind: 'adjustment', amountMinor: 5, reason: null } as const;
    await addEntries(
      tx,
      owner,
      Array.from({ length: ENTRIES }, () => adjustment),
      1,
    );
  });
  await database.close();
});
afterAll(() => workplace.remove());

describe('refbridge payouts', () => {
  it('shows what a run would pay, and changes nothing', async () => {
    const forecast = await workplace.json('payouts', 'run', '--at', '2026-01-01', '--dry-run');
    expect(forecast).toMatchObject({ dryRun: true, payoutCount: 1, data: [{ partnerId, amount: 5 * ENTRIES }] });
    const { stdout, stderr, exitCode } = await workplace.run(['payouts', 'run', '--at', '2025-12-31T23:59:59Z']);
    expect([exitCode, stdout, stderr]).toEqual([0, '', 'Nothing is due by 2025-12-31T23:59:59.000Z.\n']);
    expect((await workplace.json('payouts', 'list')).data).toMatchObject([{ status: 'queued', entryCount: ENTRIES }]);
  });

  it('prints progress to stderr, and pays nothing twice', async () => {
    const { exitCode, stdout, stderr } = await workplace.run(['payouts', 'run']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^pay_\\w+ +@Ana +500.00 USD +${ENTRIES}$`, 'm'));
    expect(stderr).toBe(`1 payout, ${ENTRIES} entries …\nStarted 1 payout: 500.00 USD.\n`);
    expect((await workplace.run(['payouts', 'run'])).stderr).toMatch(/^Nothing is due by /);
  });

  it('exports for a bank, marks as failed and pays again', async () => {
    const [first] = (await workplace.json('payouts', 'list', '--status', 'processing')).data;
    const { stdout } = await workplace.run(['payouts', 'export', '--format', 'csv']);
    expect(stdout.split('\r\n')[1]).toMatch(
      new RegExp(`^${first.id},${partnerId},,"'@Ana",ana@example.com,500.00,USD,`),
    );
    const failed = await workplace.json('payouts', 'mark-failed', first.id, '--note', 'wrong IBAN');
    expect(failed.data).toMatchObject([{ status: 'failed', endedBy: 'command line', note: 'wrong IBAN' }]);

    const [second] = (await workplace.json('payouts', 'run')).data;
    const paid = await workplace.run(['payouts', 'mark-paid', second.id]);
    expect([paid.exitCode, paid.stdout]).toEqual([0, `${second.id}  500.00 USD  paid\n`]);
    expect((await workplace.json('payouts', 'export', '--status', 'paid')).data).toMatchObject([{ id: second.id }]);
    const again = await workplace.run(['payouts', 'cancel', second.id]);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      `Payout ${second.id} is paid; only a payout that is processing can become canceled\n`,
    ]);
    const late = await workplace.run(['payouts', 'mark-failed', second.id]);
    expect([late.exitCode, late.stderr]).toEqual([1, expect.stringContaining('came back, add an adjustment')]);
  });

  it('prints a statement as JSON without the apostrophes that a spreadsheet needs', async () => {
    const [{ id }] = (await workplace.json('payouts', 'list', '--status', 'paid')).data;
    const { data } = await workplace.json('payouts', 'statement', id);
    expect(data.at(-1)).toMatchObject({ line: 'total', amount: '500.00', partner_name: '@Ana' });
    const { stdout } = await workplace.run(['payouts', 'statement', id]);
    expect(stdout).toContain(`"'@Ana"`);
  });

  it('shows what was paid in a year, also where the newest partners were paid nothing', async () => {
    await workplace.json('partners', 'create', '--name', 'Bob', '--email', 'bob@example.com');
    const totals = ['payouts', 'totals', '--year', String(new Date().getUTCFullYear()), '--limit', '1'];
    const { stdout, stderr } = await workplace.run([...totals, '--csv']);
    expect([stdout.split('\r\n')[1], stderr]).toEqual([`"'@Ana",ana@example.com,1,500.00,USD`, '']);
  });

  it('leaves a ledger that doctor finds sound', async () => {
    const { stdout } = await workplace.run(['doctor', '--json']);
    const { checks } = JSON.parse(stdout);
    expect(checks).toContainEqual(expect.objectContaining({ check: 'ledger', status: 'ok' }));
  });

  it('names what could not be started, and exits with 1', async () => {
    const write = async (unit: Unit<unknown>) => {
      const database = await openDatabase(databaseUrl());
      await database.write(unit);
      await database.close();
    };
    await write((tx) => addEntries(tx, owner, [{ kind: 'adjustment', amountMinor: 300, reason: null }], 1));
    await write((tx) =>
      tx.run(`INSERT INTO payout_entries (payout_id, account_id, entry_id, live)
        SELECT p.id, o.account_id, o.entry_id, 0
        FROM open_entries o JOIN payouts p ON p.partner_id = o.partner_id AND p.status = 'queued'`),
    );
    const refused = await workplace.run(['payouts', 'run']);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('@Ana in USD: An unexpected error');
    await write((tx) => tx.run('DELETE FROM payout_entries WHERE entry_id IN (SELECT o.entry_id FROM open_entries o)'));
    expect((await workplace.json('payouts', 'run')).data).toMatchObject([{ partnerId, amount: 300 }]);
  });

  it.each([
    ['run', '--at', 'tomorrow'],
    ['export', '--format', 'xml'],
    ['export', '--status', 'queued'],
    ['mark-paid'],
  ])('incorrect use has exit code 2: %s %s %s', async (...words) => {
    expect((await workplace.run(['payouts', ...words])).exitCode).toBe(2);
  });
});
