import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import { tableFile } from '../../src/exchange/manifest.ts';
import { NAMING_COLUMNS, TABLES } from '../../src/exchange/tables.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { hints, received } from '../helpers/facts.ts';

type Row = Record<string, unknown>;

/** Changes the rows of an exported table, and updates the manifest to match. */
async function editTable(folder: string, name: string, edit: (rows: Row[]) => Row[]): Promise<void> {
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  const table = manifest.tables.find((one: { name: string }) => one.name === name);
  const path = tableFile(folder, name);
  const before = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const rows = edit(before.map((line) => JSON.parse(line)));
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeFile(path, text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  manifest.rows += rows.length - table.rows;
  Object.assign(table, { rows: rows.length, bytes: Buffer.byteLength(text), sha256 });
  await writeFile(file, JSON.stringify(manifest));
}

describe.each(engines)('an export that was edited to name another account, on %s', (engine) => {
  let source: TestApp;
  let target: TestApp;
  let mover: ReferredAccount;
  let victim: ReferredAccount;
  let victims: Record<string, string>;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'refbridge-foreign-'));
    [source, target] = [await createTestApp('sqlite'), await createTestApp(engine)];
    [mover, victim] = [await sellOnce(source), await sellOnce(target)];
    victims = {
      program_id: victim.programId,
      partner_id: victim.partnerId,
      owner_id: victim.partnerId,
      click_id: victim.clickId,
      link_id: await idIn('links'),
      customer_id: await idIn('customers'),
      payment_id: await idIn('payments'),
    };
  });
  afterAll(async () => {
    await Promise.all([source.close(), target.close()]);
    await rm(folder, { recursive: true, force: true });
  });

  async function sellOnce(app: TestApp): Promise<ReferredAccount> {
    const account = await createReferredAccount(app.service);
    await lead(app, account);
    await facts(received(['in_1', 'ch_1'], hints(MIA)))(app, account);
    return account;
  }
  const read = (sql: string, parameters: Record<string, string> = {}) =>
    target.service.database.read((tx) => tx.all<Row>(sql, parameters));
  async function idIn(table: string): Promise<string> {
    const [row] = await read(`SELECT id FROM ${table} WHERE account_id = @accountId`, { accountId: victim.accountId });
    return String(row?.id);
  }
  let exports = 0;
  async function importEdited(table: string, edit: (rows: Row[]) => Row[]) {
    exports += 1;
    const edited = join(folder, String(exports));
    await exportAccount(source.service, mover.accountId, { folder: edited, programVersion: '1' });
    await editTable(edited, table, edit);
    return importAccount(target.service, { folder: edited, isDryRun: false, sourceSealer: null });
  }
  const expectNothing = async () =>
    expect(await read('SELECT id FROM accounts WHERE id = @id', { id: mover.accountId })).toEqual([]);

  it("adds no origin to that account's program, and no clicks to its link", async () => {
    const { program_id = '', link_id } = victims;
    const before = await read('SELECT link_id, clicks FROM link_clicks ORDER BY link_id');
    const origin = { program_id, origin: 'https://evil.example' };
    await expect(importEdited('program_origins', (rows) => [...rows, origin])).rejects.toThrow(
      /program_origins, line 1 belongs to another account: its program_id prg_\w+ is not of acc_\w+/,
    );
    const clicks = { link_id, hour: 1, clicks: 1_000_000 };
    await expect(importEdited('link_clicks', (rows) => [...rows, clicks])).rejects.toThrow(
      /link_clicks, line 2 belongs to another account: its link_id/,
    );
    expect(await read('SELECT * FROM program_origins WHERE program_id = @program_id', { program_id })).toEqual([]);
    expect(await read('SELECT link_id, clicks FROM link_clicks ORDER BY link_id')).toEqual(before);
    await expectNothing();
  });

  it.each([
    ['links', 'partner_id'],
    ['clicks', 'link_id'],
    ['customers', 'partner_id'],
    ['leads', 'customer_id'],
    ['payment_references', 'payment_id'],
    ['sales', 'program_id'],
    ['sales', 'click_id'],
    ['ledger_entries', 'partner_id'],
    ['ledger_days', 'partner_id'],
    ['open_entries', 'partner_id'],
    ['result_days', 'owner_id'],
  ])('cannot put its ids into %s.%s', async (table, column) => {
    const edit = ([first, ...rows]: Row[]) => [{ ...first, [column]: victims[column] }, ...rows];
    await expect(importEdited(table, edit)).rejects.toThrow(
      `${table}, line 1 belongs to another account: its ${column}`,
    );
    await expectNothing();
  });

  it('cannot add an account, or a row without one', async () => {
    const second = ([row]: Row[]) => [row ?? {}, { ...row, id: 'acc_second' }];
    await expect(importEdited('accounts', second)).rejects.toThrow(
      /accounts, line 2 belongs to the account acc_second/,
    );
    const without = ([{ account_id: _, ...row } = {}]: Row[]) => [row];
    await expect(importEdited('programs', without)).rejects.toThrow(/programs, line 1 belongs to the account/);
    const orphan = ([row]: Row[]) => [{ ...row, owner_id: 'prt_nobody' }];
    await expect(importEdited('result_days', orphan)).rejects.toThrow(/its owner_id prt_nobody is not of/);
    await expectNothing();
  });

  it('is imported unless it was edited', async () => {
    expect(await importEdited('sales', (rows) => rows)).toMatchObject({ imported: true });
  });
});

it('every column that refers to a row with an id of its own is checked', async () => {
  const app = await createTestApp('sqlite');
  try {
    const unchecked = await app.service.database.read(async (tx) => {
      const columns = TABLES.map(({ name }) =>
        tx.all<{ from: string; table: string }>(`SELECT "from", "table" FROM pragma_foreign_key_list('${name}')`),
      );
      const own = ['account_id', 'sale_id', 'entry_id'];
      return (await Promise.all(columns)).flat().filter(({ from, table }) => {
        const tables: readonly string[] = NAMING_COLUMNS[from] ?? [];
        return !own.includes(from) && !tables.includes(table);
      });
    });
    expect(unchecked).toEqual([]);
  } finally {
    await app.close();
  }
});
