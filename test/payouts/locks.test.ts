import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { startServing } from '../helpers/serving-process.ts';
import { createReferrer } from '../helpers/story.ts';

describe('payouts on PostgreSQL', () => {
  let app: TestApp;
  /** As a sale, a refund or a page of an import of the same partner would lock rows. */
  let other: pg.Client;
  beforeAll(async () => {
    app = await createTestApp('postgres');
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
    other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await app.close();
  });

  const aUnitWaits = async () => {
    const sql = `SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%payouts%'`;
    return (await executeOnServer(app.databaseUrl, sql)).length > 0;
  };

  it.each(['paid', 'failed', 'cancel'])(
    'that end as %s lock the queued payout before the daily sums, as sales do',
    async (end) => {
      const referrer = await createReferrer(app);
      const { partnerId } = referrer;
      await sell(app, referrer);
      await runPayouts(app);
      const [payout] = await payoutsOf(app, partnerId, 'processing');
      await other.query('BEGIN');
      await other.query(`SELECT 1 FROM payouts WHERE partner_id = $1 AND status = 'queued' FOR UPDATE`, [partnerId]);
      const ending = app.call('POST', `/api/payouts/${payout.id}/${end}`, { body: {} });
      const waits = await Promise.race([
        expect.poll(aUnitWaits, { interval: 5 }).toBe(true),
        ending.then(() => 'ended'),
      ]);
      await other.query('SELECT 1 FROM ledger_days WHERE partner_id = $1 FOR UPDATE NOWAIT', [partnerId]);
      await other.query('COMMIT');
      expect(waits).not.toBe('ended');
      expect((await ending).status).toBe(200);
    },
  );

  it('that are locked for too long never end the process of a sale, also when it has to report one that is queued', async () => {
    const referrer = await createReferrer(app);
    const sale = { clickId: await referrer.lead('waiting'), customerExternalId: 'waiting', amount: 2_000 };
    const body = { url: 'https://events.example.com/', types: ['payout.queued'] };
    expect((await app.call('POST', '/api/event-endpoints', { body })).status).toBe(201);
    const serving = await startServing(app.databaseUrl);
    const report = (invoiceId: string) =>
      call(`${serving.url}/api/track/sale`, 'POST', { key: app.apiKey, body: { ...sale, invoiceId } });
    expect((await report('before')).status).toBe(200);
    await other.query('BEGIN');
    await other.query("SELECT 1 FROM payouts WHERE partner_id = $1 AND status = 'queued' FOR UPDATE", [
      referrer.partnerId,
    ]);
    const [waited] = await Promise.all([report('waiting'), sleep(600).then(() => other.query('COMMIT'))]);
    expect(waited.status).toBe(200);
    expect((await report('after')).status).toBe(200);
    await serving.kill();
  });
});
