import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEALED_COLUMNS } from '../../src/app/sealed-columns.ts';
import type { Service } from '../../src/app/service.ts';
import { changeEventEndpoint, getEventEndpoint, rotateEventSecret } from '../../src/events/endpoints.ts';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import { LEFT_OUT } from '../../src/exchange/tables.ts';
import { payoutFileInput } from '../../src/payouts/file-schemas.ts';
import { makePayoutFile, readPayoutFile } from '../../src/payouts/files.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { getPartner } from '../../src/programs/partners.ts';
import { countSealed } from '../../src/sealing/sealed-values.ts';
import type { Database } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { runPayouts, sell } from '../helpers/earning.ts';
import { addConnection, secretsOf } from '../helpers/rail-connections.ts';
import { TEST_SECRET_KEY } from '../helpers/secret-key.ts';
import { createTestService } from '../helpers/service.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const OTHER_KEY = Buffer.alloc(32, 99);
const EMAIL = 'ana.pays@example.com';
/** Columns of exported tables that hold bytes in clear text. */
const CLEAR_BYTES = ['deliveries.body'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-other-key-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(engines)('an account that moves to another key, from %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let sentId: string;
  let canceledId: string;
  let eventEndpointId: string;
  let exported: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    const details = { rail: 'paypal', email: EMAIL };
    await app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, { body: details });
    await newPayout();
    canceledId = await makeFile();
    await app.call('POST', `/api/payouts/files/${canceledId}/cancel`);
    sentId = await makeFile();
    await newPayout();
    const types = ['sale.created'];
    const receiver = { url: 'https://example.com/events', types };
    eventEndpointId = (await app.call('POST', '/api/event-endpoints', { body: receiver })).body.id;
    const { id: listenerId } = (await app.call('POST', '/api/event-listeners', { body: { types } })).body;
    // as earlier versions stored it
    const sealed = app.service.sealer.seal('[]');
    const sql = 'UPDATE event_endpoints SET sealed_secrets = @sealed WHERE id = @listenerId';
    expect(await app.service.database.write((tx) => tx.run(sql, { sealed, listenerId }))).toBe(1);
    await addConnection(app.service, app.accountId, 'sk_test_1EXAMPLE');
    exported = join(folder, engine);
    await exportAccount(app.service, app.accountId, { folder: exported, programVersion: '1.2.3' });
  });
  afterAll(() => app.close());

  async function newPayout() {
    await sell(app, referrer);
    expect((await runPayouts(app, { at: '2099-12-31' })).status).toBe(200);
  }

  async function makeFile(): Promise<string> {
    const made = await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal' } });
    expect(made.status, made.text).toBe(201);
    return made.body.id;
  }

  const makeNext = (service: Service) =>
    makePayoutFile(service, app.accountId, payoutFileInput.parse({ rail: 'paypal' }), { kind: 'command_line' });
  const detailsIn = async (service: Service) =>
    (await getPartner(service, app.accountId, referrer.partnerId)).payoutDetails;

  it.each(engines)('is paid out and keeps its files on %s, when the key of the source is given', async (target) => {
    await withOtherKey(target, async (service) => {
      const options = { folder: exported, isDryRun: false, sourceSealer: app.service.sealer };
      expect(await importAccount(service, options)).toMatchObject({
        imported: true,
        eventEndpointsWithoutSecrets: [],
        partnersWithoutPayoutDetails: [],
        payoutFilesWithoutContent: [],
        railConnectionsLeftOut: [],
      });
      expect(await detailsIn(service)).toEqual(await detailsIn(app.service));
      const { content } = await readPayoutFile(service, app.accountId, sentId);
      expect(content).toBe((await readPayoutFile(app.service, app.accountId, sentId)).content);
      expect(await secretsOf(service)).toEqual(['sk_test_1EXAMPLE']);
      const next = await makeNext(service);
      expect(next).toMatchObject({ payoutCount: 1, leftOut: [] });
      expect((await readPayoutFile(service, app.accountId, next.id)).content).toContain(EMAIL);
    });
  });

  it.each(engines)('needs only the current key on %s when a fallback there opens the export', async (target) => {
    await withOtherKey(target, async (service) => {
      const rotating = { ...service, sealer: createSealer(OTHER_KEY, [TEST_SECRET_KEY]) };
      await importAccount(rotating, { folder: exported, isDryRun: false, sourceSealer: null });
      expect(await countSealed(rotating)).toMatchObject({ fallback: 0, unreadable: [] });
      expect((await readPayoutFile(service, app.accountId, sentId)).content).toContain(EMAIL);
    });
  });

  it.each(engines)('names on %s the payout details, files and event endpoints that no key opens', async (target) => {
    await withOtherKey(target, async (service) => {
      const options = { folder: exported, isDryRun: true, sourceSealer: createSealer(Buffer.alloc(32, 55)) };
      const lost = {
        eventEndpointsWithoutSecrets: [eventEndpointId],
        partnersWithoutPayoutDetails: [referrer.partnerId],
        payoutFilesWithoutContent: [sentId],
        railConnectionsLeftOut: ['rcn_1'],
      };
      expect(await importAccount(service, options)).toMatchObject({ imported: false, ...lost });
      await expect(importAccount(service, { ...options, isDryRun: false })).rejects.toThrow(/opens no secret of this/);
      const imported = await importAccount(service, { ...options, isDryRun: false, sourceSealer: null });
      expect(imported).toMatchObject({ imported: true, ...lost });
      expect(await detailsIn(service)).toBeNull();
      expect(await secretsOf(service)).toEqual([]);
      const { enabled, disabledReason } = await getEventEndpoint(service, app.accountId, eventEndpointId);
      expect([enabled, disabledReason]).toEqual([false, expect.stringContaining('rotate it')]);
      const enable = () => changeEventEndpoint(service, app.accountId, eventEndpointId, { enabled: true });
      await expect(enable()).rejects.toThrow(expect.objectContaining({ code: 'INVALID_STATE' }));
      await rotateEventSecret(service, app.accountId, eventEndpointId);
      expect(await enable()).toMatchObject({ enabled: true, disabledReason: null });
      await expect(makeNext(service)).rejects.toThrow(/has no payout details: set them/);
      await expect(readPayoutFile(service, app.accountId, sentId)).rejects.toThrow(
        expect.objectContaining({ code: 'INVALID_STATE', message: expect.stringContaining('is gone') }),
      );
      await expect(readPayoutFile(service, app.accountId, canceledId)).rejects.toThrow(/was canceled/);
    });
  });

  it('refuses a file that an earlier version stored with a key that is not here', async () => {
    const service = { ...app.service, sealer: createSealer(OTHER_KEY) };
    await expect(readPayoutFile(service, app.accountId, sentId)).rejects.toThrow(
      expect.objectContaining({ code: 'INVALID_STATE', message: expect.stringContaining('another SECRET_KEY') }),
    );
  });

  it('seals again every column of an exported table that may hold sealed bytes', async () => {
    const bytes = (await columnsOfBytes(app.service.database)).filter(({ table }) => !(table in LEFT_OUT));
    const names = bytes.map(({ table, column }) => `${table}.${column}`).filter((name) => !CLEAR_BYTES.includes(name));
    const exported = Object.entries(SEALED_COLUMNS).filter(([table]) => !(table in LEFT_OUT));
    const sealedAgain = exported.map(([table, column]) => `${table}.${column}`);
    expect(names.sort()).toEqual(sealedAgain.sort());
  });
});

async function withOtherKey(engine: (typeof engines)[number], work: (service: Service) => Promise<void>) {
  const { database, remove } = await createTestDatabase(engine);
  try {
    await work({ ...createTestService({ database }), sealer: createSealer(OTHER_KEY) });
  } finally {
    await remove();
  }
}

/** Sealed values are bytes. */
function columnsOfBytes(database: Database): Promise<{ table: string; column: string }[]> {
  const sql =
    database.engine === 'sqlite'
      ? `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND c.type = 'BYTEA'`
      : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = current_schema() AND data_type = 'bytea'`;
  return database.read((tx) => tx.all(sql));
}
