import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import { decodeRow, readLines } from '../../src/exchange/json-lines.ts';
import { tableFile } from '../../src/exchange/manifest.ts';
import { LEFT_OUT, TABLES } from '../../src/exchange/tables.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { deleteAccount } from '../../src/removal/delete-account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase, type Engine, engines } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { tablesOf } from '../privacy/tables-of.ts';

const OTHER_KEY = Buffer.alloc(32, 99);
const plain = { isDryRun: false, sourceSealer: null };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-exchange-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function exportTo(name: string, service: Service, accountId: AccountId) {
  return exportAccount(service, accountId, { folder: join(folder, name), programVersion: '1.2.3' });
}

/** Every line of every table, by table: the contents of an export without its manifest. */
async function contentsOf(name: string): Promise<Record<string, unknown[]>> {
  const contents: Record<string, unknown[]> = {};
  for (const { name: table } of TABLES) {
    const rows: unknown[] = [];
    for await (const line of readLines(tableFile(join(folder, name), table))) rows.push(sorted(decodeRow(line)));
    contents[table] = rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  return contents;
}

/** Sorts the columns, because an engine keeps them in the order in which migrations added them. */
const sorted = (row: object) => Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));

async function sell(app: TestApp, referrer: Referrer): Promise<void> {
  const customerExternalId = unique('user');
  const clickId = await referrer.lead(customerExternalId, {
    customerName: 'Zoë \u2028 Ünal\n',
    metadata: { plan: '=1+1' },
  });
  const invoiceId = unique('in');
  const body = { clickId, customerExternalId, amount: 4_999, currency: 'usd', invoiceId, paymentProcessor: 'stripe' };
  const answer = await app.call('POST', '/api/track/sale', { body });
  if (answer.status !== 200) throw new Error(`The sale was refused: ${answer.text}`);
}

/** An account in which most tables have rows, and a second one that must not change. */
async function furnish(app: TestApp): Promise<Referrer> {
  const referrer = await createReferrer(app, { discountCodes: ['ÉTÉ20'], tenantId: unique('tenant') });
  const stripe = await createEndpoint(app, 'stripe');
  for (let sale = 0; sale < 5; sale += 1) await sell(app, referrer);
  await stripe.deliver({ id: unique('evt'), object: 'event', type: 'unheard.of', data: { object: {} } });
  await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
  await sell(app, referrer);
  await app.call('POST', '/api/payouts/run', { body: {} });
  const other = await app.addAccount('Other Ltd');
  const body = { name: 'Other', email: 'other@example.com' };
  expect((await app.call('POST', '/api/partners', { body, key: other.apiKey })).status).toBe(201);
  return referrer;
}

describe.each(engines)('an export, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await furnish(app);
  });
  afterAll(() => app.close());

  it('covers every table of the schema, or states why not', async () => {
    const listed = [...TABLES.map(({ name }) => name), ...Object.keys(LEFT_OUT)];
    expect(listed.sort()).toEqual([...(await tablesOf(app.service.database)).keys()].sort());
  });

  it.each(engines)('is imported row by row into a database on %s, and its books agree', async (target) => {
    const name = unique(`to_${target}`);
    const manifest = await exportTo(name, app.service, app.accountId);
    expect(manifest.tables.filter(({ rows }) => rows > 0).length).toBeGreaterThan(18);
    await withTarget(target, async (service) => {
      const options = { ...plain, folder: join(folder, name) };
      expect(await importAccount(service, { ...options, isDryRun: true })).toMatchObject({ imported: false });
      const imported = await importAccount(service, options);
      expect(imported).toEqual({
        account: { id: app.accountId, name: 'Example Ltd' },
        rows: manifest.rows,
        imported: true,
        alreadyImported: false,
        endpointsWithoutSecrets: [],
        eventEndpointsWithoutSecrets: [],
        partnersWithoutPayoutDetails: [],
        payoutFilesWithoutContent: [],
        railConnectionsLeftOut: [],
      });
      expect(await importAccount(service, options)).toMatchObject({ imported: false, alreadyImported: true });
      await exportTo(`${name}_again`, service, app.accountId);
      expect(await contentsOf(`${name}_again`)).toEqual(await contentsOf(name));
      for (const audit of AUDITS) expect(await runAudit(service, app.accountId, audit)).toMatchObject({ count: 0 });
    });
  });

  it('restarts a scan for erased persons, whose position is in the order of another database', async () => {
    const name = unique('scanned');
    const scan = (lastId: object) => ({
      job: 'erase identities',
      accountId: app.accountId,
      last: JSON.stringify(lastId),
    });
    await app.service.database.write((tx) =>
      tx.run(
        'INSERT INTO job_cursors (job, account_id, last_id) VALUES (@job, @accountId, @last)',
        scan({ processor: 'stripe', kind: 'customer', value: 'cus_B' }),
      ),
    );
    await exportTo(name, app.service, app.accountId);
    await app.service.database.write((tx) => tx.run('DELETE FROM job_cursors WHERE job = @job', scan({})));
    await withTarget(engine, async (service) => {
      await importAccount(service, { ...plain, folder: join(folder, name) });
      const sql = 'SELECT job, account_id AS "accountId", last_id AS last FROM job_cursors WHERE job = @job';
      const restarted = await service.database.read((tx) => tx.get(sql, scan({})));
      expect(restarted).toEqual(scan({ processor: '', kind: '', value: '' }));
    });
  });

  it('is from one moment, while sales continue', async () => {
    let isOver = false;
    const selling = (async () => {
      while (!isOver) await Promise.all([sell(app, referrer), sell(app, referrer)]);
    })();
    const name = unique('under_load');
    try {
      for (let round = 0; round < 3; round += 1) await exportTo(`${name}_${round}`, app.service, app.accountId);
    } finally {
      isOver = true;
      await selling;
    }
    await withTarget('sqlite', async (service) => {
      await importAccount(service, { ...plain, folder: join(folder, `${name}_2`) });
      for (const audit of AUDITS) expect(await runAudit(service, app.accountId, audit)).toMatchObject({ count: 0 });
    });
  });

  it('can be read by its owner only, quotes formulas and leaves numbers alone', async () => {
    const name = unique('files');
    await app.call('POST', '/api/partners', { body: { name: '=HYPERLINK("x")', email: `${unique('a')}@example.com` } });
    await app.call('POST', '/api/adjustments', {
      body: { partnerId: referrer.partnerId, amount: -1_250, currency: 'usd', reason: '@correction' },
    });
    await exportTo(name, app.service, app.accountId);
    for (const file of ['manifest.json', 'partners.csv', 'tables/sales.jsonl', 'tables']) {
      expect((await stat(join(folder, name, file))).mode & 0o077, file).toBe(0);
    }
    expect(await readFile(join(folder, name, 'partners.csv'), 'utf8')).toContain(`"'=HYPERLINK(""x"")"`);
    expect(await readFile(join(folder, name, 'ledger.csv'), 'utf8')).toContain(
      `,adjustment,usd,-12.50,"'@correction",`,
    );
    expect(await readFile(join(folder, name, 'partners.csv'), 'utf8')).not.toContain('other@example.com');
  });

  it('seals secrets for the new key when the old one is given, and otherwise names the endpoints that lost theirs', async () => {
    const name = unique('sealed');
    await exportTo(name, app.service, app.accountId);
    const sealer = createSealer(OTHER_KEY);
    await withTarget(engine, async (service) => {
      const options = { ...plain, folder: join(folder, name), isDryRun: true };
      const { endpointsWithoutSecrets } = await importAccount({ ...service, sealer }, options);
      expect(endpointsWithoutSecrets).toHaveLength(1);
      const sourceSealer = service.sealer;
      const imported = await importAccount({ ...service, sealer }, { ...options, isDryRun: false, sourceSealer });
      expect(imported.endpointsWithoutSecrets).toEqual([]);
      const row = await service.database.read((tx) =>
        tx.get<{ sealed: Buffer }>('SELECT sealed_secrets AS sealed FROM webhook_endpoints'),
      );
      expect(sealer.open(row?.sealed as Buffer)).toContain('whsec_');
    });
  });

  it('is imported again once its account is deleted, and not while the deletion is incomplete', async () => {
    const name = unique('deleted');
    const { rows } = await exportTo(name, app.service, app.accountId);
    const options = { ...plain, folder: join(folder, name) };
    const interrupt = () => {
      throw new Error('Ctrl-C');
    };
    await withTarget(engine, async (service) => {
      await importAccount(service, options);
      const interrupted = deleteAccount(service, app.accountId, { cachesMs: 0, onProgress: interrupt });
      await expect(interrupted).rejects.toThrow('Ctrl-C');
      await expect(importAccount(service, options)).rejects.toThrow(/in this database already/);
      await deleteAccount(service, app.accountId, { cachesMs: 0 });
      expect(await importAccount(service, options)).toMatchObject({ imported: true, rows });
    });
  });

  it('is refused when it is damaged, incomplete, of another schema, or its account exists', async () => {
    const name = unique('damaged');
    const options = { ...plain, folder: join(folder, name) };
    const manifest = await exportTo(name, app.service, app.accountId);
    await expect(importAccount(app.service, options)).rejects.toThrow(/in this database already/);
    await withTarget(engine, async (service) => {
      const path = tableFile(options.folder, 'sales');
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace('4999', '9999'));
      await expect(importAccount(service, options)).rejects.toThrow(/sales\.jsonl differs from what was exported/);
      await writeFile(path, text);
      const file = join(options.folder, 'manifest.json');
      await writeFile(file, JSON.stringify({ ...manifest, schemaVersion: 3 }));
      const versions = new RegExp(`schema version 3 .* has ${manifest.schemaVersion}`);
      await expect(importAccount(service, options)).rejects.toThrow(versions);
      await rm(file);
      await expect(importAccount(service, options)).rejects.toThrow(/not a complete export/);
      expect(await service.database.read((tx) => tx.all('SELECT id FROM accounts'))).toEqual([]);
    });
  });
});

async function withTarget(engine: Engine, work: (service: Service) => Promise<void>): Promise<void> {
  const { database, remove } = await createTestDatabase(engine);
  try {
    await work(createTestService({ database }));
  } finally {
    await remove();
  }
}
