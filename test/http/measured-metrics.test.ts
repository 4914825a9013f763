import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { recordEvent } from '../../src/events/record.ts';
import { sqlitePathOf } from '../../src/storage/open.ts';
import { rememberBackup } from '../../src/storage/sqlite/disk-use.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { runPayouts, sell } from '../helpers/earning.ts';
import { addTransfer, hold } from '../helpers/held-payouts.ts';
import { createReportDatabase } from '../helpers/report-databases.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';

/** The interval at which measurements are repeated. */
const PAUSE_MS = 15_000;
const DAY_MS = 86_400_000;

describe.each(engines)('the metrics of the database, on %s', (engine) => {
  let app: TestApp;
  let now = Date.now();
  beforeAll(async () => {
    app = await createTestApp(engine, { metrics: { kind: 'public' }, service: { clock: () => now } });
    await scrape();
  });
  afterAll(() => app.close());

  /** The metrics by name and labels, `refbridge_sales_total{currency="usd"}`, a pause after the last call. */
  async function scrape(): Promise<Record<string, number>> {
    now += PAUSE_MS;
    const { text } = await app.call('GET', '/metrics', { key: null });
    return Object.fromEntries(
      [...text.matchAll(/^(refbridge_\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  }

  /** The same, measured now: the pause after a measurement that took long, as on a busy machine, is longer. */
  async function scrapeNow(): Promise<Record<string, number>> {
    for (;;) {
      const metrics = await scrape();
      if (metrics.refbridge_measured_timestamp_seconds === now / 1000) return metrics;
    }
  }

  it('report which version runs on which engine, and when they were measured', async () => {
    const metrics = await scrape();
    const { schemaVersion } = app.service.database;
    const labels = `version="${packageJson.version}",node="${process.versions.node}",engine="${engine}"`;
    expect(metrics[`refbridge_build_info{${labels},schema="${schemaVersion}"}`]).toBe(1);
    expect(metrics.refbridge_measured_timestamp_seconds).toBe(now / 1000);
  });

  it('are measured anew after the clock was an hour ahead for a moment', async () => {
    now += 3_600_000;
    await scrape();
    now -= 3_600_000;
    expect((await scrape()).refbridge_measured_timestamp_seconds).toBe(now / 1000);
  });

  it('count what waits for somebody, and report when each endpoint had its last delivery', async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const lastDelivery = `refbridge_endpoint_last_delivery_timestamp_seconds{processor="stripe",endpoint="${stripe.id}"}`;
    expect((await scrapeNow())[lastDelivery]).toBeUndefined();
    expect((await stripe.deliver(checkoutCompleted({}))).body.outcome).toBe('unattributed');
    const waiting = await scrapeNow();
    expect(waiting).toMatchObject({
      refbridge_parked_payments: 1,
      refbridge_flagged_sales: 0,
      refbridge_held_payouts: 0,
      refbridge_open_disputes: 0,
      'refbridge_unprocessed_deliveries{status="failed"}': 0,
      'refbridge_unprocessed_deliveries{status="dead"}': 0,
    });
    const ageSeconds = now / 1000 - (waiting[lastDelivery] ?? 0);
    expect(ageSeconds).toBeGreaterThanOrEqual(15);
    expect(ageSeconds).toBeLessThan(120);
    await app.service.database.write((tx) =>
      tx.run("UPDATE deliveries SET status = 'dead' WHERE status = 'processed'"),
    );
    expect((await scrapeNow())['refbridge_unprocessed_deliveries{status="dead"}']).toBe(1);
  });

  it('count clicks, leads and sales of all accounts since the start, and never fall', async () => {
    const pia = await createReferrer(app);
    await pia.lead('user_9');
    await sell(app, pia, { amount: 10_000 });
    await sell(app, pia, { amount: 2_500 });
    await sell(app, pia, { amount: 700, currency: 'jpy' });
    expect(await scrapeNow()).toMatchObject({
      refbridge_clicks_total: 4,
      refbridge_leads_total: 1,
      'refbridge_sales_total{currency="usd"}': 2,
      'refbridge_sales_minor_units_total{currency="usd"}': 12_500,
      'refbridge_sales_total{currency="jpy"}': 1,
      'refbridge_sales_minor_units_total{currency="jpy"}': 700,
    });
    now += 3 * DAY_MS;
    expect(await scrapeNow()).toMatchObject({ refbridge_clicks_total: 4, 'refbridge_sales_total{currency="usd"}': 2 });
    await sell(app, pia, { amount: 1 });
    expect((await scrapeNow())['refbridge_sales_minor_units_total{currency="usd"}']).toBe(12_501);
  });

  it('report what a payout run would pay', async () => {
    expect((await scrapeNow())['refbridge_payouts_due{currency="usd"}']).toBe(0);
    now += 40 * DAY_MS;
    expect(await scrapeNow()).toMatchObject({
      'refbridge_payouts_due{currency="usd"}': 1,
      'refbridge_payouts_due_minor_units{currency="usd"}': 2_500,
      'refbridge_payouts_due{currency="jpy"}': 1,
    });
  });

  it('count payouts that are being sent, how long the first has been, and those that are held', async () => {
    const none = { refbridge_transfers_sending: 0, refbridge_transfers_oldest_seconds: 0, refbridge_held_payouts: 0 };
    expect(await scrapeNow()).toMatchObject(none);
    await runPayouts(app, { at: '2099-12-31' });
    const [first, second] = (await app.call('GET', '/api/payouts?status=processing')).body.data;
    for (const { id } of [first, second]) await addTransfer(app.service.database, id, 'sending');
    const { refbridge_transfers_oldest_seconds: seconds, ...metrics } = await scrapeNow();
    expect([seconds, metrics.refbridge_transfers_sending]).toEqual([now / 1000 - 1, 2]);
    await hold(app.service, app.accountId, first.id);
    expect((await scrapeNow()).refbridge_held_payouts).toBe(1);
  });

  it('report how long an event has been due, also while its endpoint is paused after failures', async () => {
    expect((await scrapeNow()).refbridge_events_oldest_due_seconds).toBe(0);
    await app.call('POST', '/api/event-endpoints', {
      body: { url: 'https://hooks.example.com/', types: ['sale.created'] },
    });
    const event = { accountId: app.accountId, type: 'sale.created' as const, occurredAt: now, data: () => ({}) };
    await app.service.database.write(async (tx) => {
      await recordEvent(tx, event);
      await tx.run('UPDATE event_endpoints SET paused_until = @until', { until: now + DAY_MS });
    });
    now += 1_000_000;
    const { refbridge_events_oldest_due_seconds: seconds } = await scrapeNow();
    expect(seconds).toBe((now - event.occurredAt) / 1000);
    await app.service.database.write((tx) => tx.run("UPDATE event_endpoints SET status = 'disabled'"));
    expect((await scrapeNow()).refbridge_events_oldest_due_seconds).toBe(0);
  });

  it('report how large the database is, and nothing that its engine cannot know', async () => {
    const metrics = await scrapeNow();
    expect(metrics.refbridge_database_bytes).toBeGreaterThan(0);
    const ofFile = [
      metrics.refbridge_database_log_bytes,
      metrics.refbridge_disk_free_bytes,
      metrics.refbridge_last_backup_timestamp_seconds,
    ];
    if (engine === 'postgres') return expect(ofFile).toEqual([undefined, undefined, undefined]);
    expect(ofFile).toEqual([expect.any(Number), expect.any(Number), 0]);
    expect(ofFile[0]).toBeGreaterThan(0);
    expect(ofFile[1]).toBeGreaterThan(1_000_000);
    rememberBackup(String(sqlitePathOf(app.databaseUrl)), 1_700_000_000_000);
    expect((await scrapeNow()).refbridge_last_backup_timestamp_seconds).toBe(1_700_000_000);
  });

  it('are measured once for many scrapes, and never on the thread that answers', async () => {
    now += PAUSE_MS;
    const report = vi.spyOn(app.service.database, 'report');
    const read = vi.spyOn(app.service.database, 'read');
    await Promise.all(Array.from({ length: 20 }, () => app.call('GET', '/metrics', { key: null })));
    now += 14_000;
    await app.call('GET', '/metrics', { key: null });
    expect([report.mock.calls.length, read.mock.calls.length]).toEqual([1, 0]);
    vi.restoreAllMocks();
  });

  it('stay as they were when measuring fails, while the others are answered', async () => {
    const before = await scrape();
    vi.spyOn(app.service.database, 'report').mockRejectedValue(new Error('too slow'));
    const after = await scrape();
    expect(after.refbridge_measured_timestamp_seconds).toBe(before.refbridge_measured_timestamp_seconds);
    expect(after['refbridge_sales_total{currency="usd"}']).toBe(3);
    vi.restoreAllMocks();
    expect((await scrape()).refbridge_measured_timestamp_seconds).toBe(now / 1000);
  });
});

describe('the metrics of the process', () => {
  it('count refused requests by their code, and reports that were stopped', async () => {
    const app = await createTestApp('sqlite', { metrics: { kind: 'public' }, service: { rateLimitPerMinute: 3 } });
    const reports = await createReportDatabase('sqlite');
    const stopped = async () => {
      const { text } = await app.call('GET', '/metrics', { key: null });
      return { text, count: Number(/^refbridge_reports_stopped_total (\d+)$/m.exec(text)?.[1]) };
    };
    try {
      for (let count = 0; count < 5; count += 1) await app.call('GET', '/api/api-keys');
      await app.call('GET', '/nowhere/at/all', { key: null });
      const before = await stopped();
      expect(before.text).toContain('refbridge_refusals_total{code="RATE_LIMIT_EXCEEDED"} 2\n');
      expect(before.text).toContain('refbridge_refusals_total{code="NOT_FOUND"} 1\n');
      // what an alert on the increase waits for begins at 0
      expect(before.text).toContain('refbridge_refusals_total{code="INTERNAL_ERROR"} 0\n');
      expect(before.text).toContain('refbridge_events_endpoints_switched_off_total{reason="failing"} 0\n');
      expect(before.text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
      const unanswered = reports.database.report(() => new Promise(() => {}), { deadlineMs: 20 });
      await expect(unanswered).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect((await stopped()).count).toBe(before.count + 1);
    } finally {
      await reports.remove();
      await app.close();
    }
  });
});
