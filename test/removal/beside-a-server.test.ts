import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/core/ids.ts';
import { retryDueDeliveries } from '../../src/deliveries/retry.ts';
import { adjust } from '../../src/ledger/adjustments.ts';
import { attributeDuePayments } from '../../src/payments/attribute-due.ts';
import { runPayouts } from '../../src/payouts/run.ts';
import { createPartner } from '../../src/programs/partners.ts';
import { openPortal } from '../../src/programs/portal-links.ts';
import { partnerInput } from '../../src/programs/schemas.ts';
import { deleteAccount } from '../../src/removal/delete-account.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { callWith, cookieOf, createOperator, signIn } from '../helpers/operators.ts';
import { createTestService } from '../helpers/service.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { tablesOf } from '../privacy/tables-of.ts';

const PASSWORD = 'correct horse battery staple';
const CODES = 100;
const PARKED = 400;
const PARTNERS = 30;

describe.each(engines)('the deletion of an account beside a running server, on %s', (engine) => {
  let app: TestApp;
  /** As the command opens it. */
  let database: Database;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    database = await openDatabase(app.databaseUrl, { sqlite: { foreignKeys: false } });
  });
  afterAll(async () => {
    await database.close();
    await app.close();
  });

  async function leftOf(accountId: AccountId) {
    const owned = [...(await tablesOf(database))].filter(([, columns]) => columns.includes('account_id'));
    const left: string[] = [];
    for (const [table] of owned) {
      const sql = `SELECT 1 AS one FROM ${table} WHERE account_id = @accountId`;
      if ((await database.read((tx) => tx.get(sql, { accountId }))) !== undefined) left.push(table);
    }
    return left;
  }

  it('leaves nothing, although people sign in again, open portals, and deliveries are retried meanwhile', async () => {
    const { accountId } = app;
    const operator = await createOperator(app);
    expect((await operator.call('PATCH', '/api/session', { body: { password: PASSWORD } })).status).toBe(200);
    const { partnerId } = await createReferrer(app);
    const codes: string[] = [];
    for (let count = 0; count < CODES; count += 1) {
      const { url } = (await app.call('POST', `/api/partners/${partnerId}/portal-link`)).body;
      codes.push(new URL(url).hash.replace('#code=', ''));
    }
    const stripe = await createEndpoint(app, 'stripe');
    expect((await stripe.deliver(checkoutCompleted({}))).body.outcome).toBe('unattributed');

    const others: Promise<unknown>[] = [];
    const retry = async () => {
      const isDue = `UPDATE deliveries SET status = 'failed', next_attempt_at = 0 WHERE account_id = @accountId`;
      await app.service.database.write((tx) => tx.run(isDue, { accountId }));
      await retryDueDeliveries(app.service);
    };
    const meanwhile = (work: Promise<unknown>) => others.push(work.catch(() => null));
    const onProgress = () => {
      meanwhile(openPortal(app.service, codes.pop() ?? ''));
      meanwhile(retry());
    };
    const deleting = deleteAccount(createTestService({ database }), accountId, { onProgress, cachesMs: 1_000 });
    const operators = () =>
      database.read((tx) => tx.all('SELECT id FROM operators WHERE account_id = @accountId', { accountId }));
    await expect.poll(operators).toEqual([]);
    const again = await signIn(app, { email: operator.email, password: PASSWORD });
    const body = { name: 'Backdoor', scope: 'full' };
    const key = await callWith(app, cookieOf(again))('POST', '/api/api-keys', { body });
    await deleting;
    await Promise.all(others);

    expect([again.status, key.status]).toEqual([401, 401]);
    expect(await leftOf(accountId)).toEqual([]);
  });

  it('leaves nothing, although the server attributes parked payments meanwhile', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    for (let nth = 1; nth <= PARKED; nth += 1) {
      await applyFacts(app.service, accountId, received([`in_${nth}`], hints({ externalId: 'mia' })));
    }
    await lead(app, account);
    const stopping = new AbortController();
    const attributing = (async () => {
      while (!stopping.signal.aborted) {
        await attributeDuePayments(app.service).catch(() => null);
        await sleep(10);
      }
    })();
    const deleting = deleteAccount(createTestService({ database }), accountId, { cachesMs: 500 });
    await deleting.finally(() => stopping.abort());
    await attributing;
    expect(await leftOf(accountId)).toEqual([]);
  });

  it('leaves nothing, although a run starts payouts meanwhile', async () => {
    const { accountId, programId } = await app.addAccount('Paying');
    for (let nth = 1; nth <= PARTNERS; nth += 1) {
      const named = { programId, name: 'Pia', email: `pia${nth}@example.com` };
      const { id: partnerId } = await createPartner(app.service, accountId, parseInput(partnerInput, named));
      await adjust(app.service, accountId, { partnerId, amount: 100, currency: 'usd', reason: 'A bonus' });
    }
    const [isReady, mayStart] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const write: Database['write'] = async (unit, options) => {
      isReady.resolve();
      await mayStart.promise;
      return app.service.database.write(unit, options);
    };
    const service = createTestService({ database: { ...app.service.database, write } });
    const running = runPayouts(service, accountId, { at: null, dryRun: false }, { actor: { kind: 'schedule' } });
    await isReady.promise;
    // the first row is that of the key, the second of a payout
    const onProgress = (rows: number) => {
      if (rows > 1) mayStart.resolve();
    };
    const options = { onProgress, rowsPerUnit: 1, cachesMs: 100 };
    await deleteAccount(createTestService({ database }), accountId, options);
    expect(await running).toMatchObject({ payoutCount: 0, failed: [] });
    expect(await leftOf(accountId)).toEqual([]);
  });
});
