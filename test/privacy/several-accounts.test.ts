import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extendScan, restartScan } from '../../src/app/scans.ts';
import type { Service } from '../../src/app/service.ts';
import { restartEventErasure } from '../../src/events/erase.ts';
import { eraseFromEndedImports } from '../../src/exchange/jobs/erase.ts';
import { createId } from '../../src/ids.ts';
import { eraseMentions } from '../../src/inbox/erase-bodies.ts';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { eraseRemaining } from '../../src/payments/erasure/erase-rest.ts';
import { startImportErasure } from '../../src/payments/erasure/import-erasures.ts';
import { FIRST_PLACE, lastPlace } from '../../src/payments/queries/erasure.ts';
import { eraseFromEvents } from '../../src/privacy/events.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { failingFor } from '../helpers/failing-account.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { stripeEvent } from '../helpers/stripe-payloads.ts';

const HOUR_MS = 3_600_000;

describe.each(engines)('scans for erased persons in two accounts, on %s', (engine) => {
  let app: TestApp;
  let other: TestApp;
  let lateMs = 0;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.now() + lateMs } });
    const account = await app.addAccount('Other Ltd');
    const { apiKey } = account;
    other = { ...app, ...account, call: (method, path, call) => app.call(method, path, { key: apiKey, ...call }) };
    for (const each of [app, other]) {
      const stripe = await createEndpoint(each, 'stripe');
      await stripe.deliver(stripeEvent('product.updated', { id: unique('prod') }));
    }
    // what was delivered within the last minutes is left to a later scan
    lateMs = HOUR_MS;
  });
  afterAll(() => app.close());

  /** As an erasure does. */
  async function startScans({ accountId }: TestApp) {
    await app.service.database.write(async (tx) => {
      await restartScan(tx, 'erase bodies', accountId, 'dlv_');
      await restartScan(tx, 'erase identities', accountId, JSON.stringify(FIRST_PLACE));
      await restartEventErasure(tx, accountId);
      await startImportErasure(tx, accountId);
      await extendScan(tx, 'erase the rest', accountId, `${JSON.stringify(lastPlace(createId('cus')))}\n`);
    });
  }

  /** How far each scan of the account has come, as JSON. */
  async function positions({ accountId }: TestApp): Promise<string> {
    const sql = 'SELECT job, last_id FROM job_cursors WHERE account_id = @accountId ORDER BY job';
    return JSON.stringify(await app.service.database.read((tx) => tx.all(sql, { accountId })));
  }

  it.each<[string, (service: Service) => Promise<unknown>]>([
    ['webhook bodies', eraseMentions],
    ['events', eraseFromEvents],
    ['processors’ ids', eraseMentionedIdentities],
    ['messages of imports', eraseFromEndedImports],
    ['what is left of erased customers', eraseRemaining],
  ])('%s of one account are scanned although those of the other cannot be read', async (_, scan) => {
    for (const [failing, working] of [
      [app, other],
      [other, app],
    ] as const) {
      for (const account of [app, other]) await startScans(account);
      const [before, workingBefore] = [await positions(failing), await positions(working)];
      await expect(scan(failingFor(app.service, failing.accountId))).rejects.toThrow('took too long');
      expect(await positions(failing)).toBe(before);
      expect(await positions(working)).not.toBe(workingBefore);
    }
  });
});
