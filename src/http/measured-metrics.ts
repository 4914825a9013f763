import { Counter, Gauge, Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };
import type { Attention, Measurements } from '../app/metrics.ts';

const ATTENTION: Record<Exclude<Attention, 'failedDeliveries' | 'deadDeliveries'>, [name: string, help: string]> = {
  parkedPayments: ['refbridge_parked_payments', 'Payments that no partner has earned yet, expired ones included'],
  flaggedSales: ['refbridge_flagged_sales', 'Sales that wait for a decision of the self-referral guard'],
  heldPayouts: ['refbridge_held_payouts', 'Payouts of which nobody knows whether they were paid'],
  openDisputes: ['refbridge_open_disputes', 'Sales with the status disputed'],
};

type SetMetrics = (measurements: Measurements) => void;

/**
 * Metrics of what the whole database holds, in their own registry: before the first measurement there are none, because
 * a zero would be wrong. A value that an engine cannot know has no metric.
 */
export function createMeasuredMetrics(): { text: (measurements: Measurements) => Promise<string> } {
  const registry = new Registry();
  const setters = [about(registry), results(registry), waiting(registry), disk(registry)];
  return {
    text(measurements) {
      for (const set of setters) set(measurements);
      return registry.metrics();
    },
  };
}

function about(registry: Registry): SetMetrics {
  const registers = [registry];
  const buildInfo = new Gauge({
    name: 'refbridge_build_info',
    help: 'Always 1; its labels name the version and what it runs on',
    labelNames: ['version', 'node', 'engine', 'schema'] as const,
    registers,
  });
  const measured = new Gauge({
    name: 'refbridge_measured_timestamp_seconds',
    help: 'When the metrics of the database were last measured',
    registers,
  });
  return ({ engine, schemaVersion, measuredAt }) => {
    const { version } = packageJson;
    buildInfo.set({ version, node: process.versions.node, engine, schema: String(schemaVersion) }, 1);
    measured.set(measuredAt / 1000);
  };
}

function results(registry: Registry): SetMetrics {
  const registers = [registry];
  const clicks = new Counter({ name: 'refbridge_clicks_total', help: 'Clicks recorded', registers });
  const leads = new Counter({ name: 'refbridge_leads_total', help: 'Leads recorded', registers });
  const labelNames = ['currency'] as const;
  const sales = new Counter({ name: 'refbridge_sales_total', help: 'Sales recorded', labelNames, registers });
  const revenue = new Counter({
    name: 'refbridge_sales_minor_units_total',
    help: 'Amounts of the sales recorded, before refunds, in minor units of the currency',
    labelNames,
    registers,
  });
  return ({ results: counted }) => {
    for (const counter of [clicks, leads, sales, revenue]) counter.reset();
    clicks.inc(counted.clicks);
    leads.inc(counted.leads);
    for (const { currency, count, amount } of counted.sales) {
      sales.inc({ currency }, count);
      revenue.inc({ currency }, amount);
    }
  };
}

function waiting(registry: Registry): SetMetrics {
  const registers = [registry];
  const deliveries = new Gauge({
    name: 'refbridge_unprocessed_deliveries',
    help: 'Deliveries that failed and are retried, or are dead, because every retry failed',
    labelNames: ['status'] as const,
    registers,
  });
  const gauges = Object.entries(ATTENTION).map(
    ([key, [name, help]]) => [key as keyof typeof ATTENTION, new Gauge({ name, help, registers })] as const,
  );
  const labelNames = ['currency'] as const;
  const dueCount = new Gauge({
    name: 'refbridge_payouts_due',
    help: 'Payouts that a run would start now',
    labelNames,
    registers,
  });
  const dueAmount = new Gauge({
    name: 'refbridge_payouts_due_minor_units',
    help: 'What a payout run would pay now, in minor units of the currency',
    labelNames,
    registers,
  });
  const lastDelivery = new Gauge({
    name: 'refbridge_endpoint_last_delivery_timestamp_seconds',
    help: 'When the last delivery of an endpoint arrived, to the minute; only the 200 endpoints with the latest',
    labelNames: ['processor', 'endpoint'] as const,
    registers,
  });
  const oldestEvent = new Gauge({
    name: 'refbridge_events_oldest_due_seconds',
    help: 'How long the longest-waiting event of an enabled endpoint has been due',
    registers,
  });
  const transfers = new Gauge({
    name: 'refbridge_transfers_sending',
    help: "Payouts that are being sent by a provider's API",
    registers,
  });
  const oldestTransfer = new Gauge({
    name: 'refbridge_transfers_oldest_seconds',
    help: 'How long ago the first of them was ordered',
    registers,
  });
  const ageOf = (at: number | null, measuredAt: number) => (at === null ? 0 : Math.max(0, measuredAt - at) / 1000);
  return ({ attention, due, endpoints, oldestEventDueAt, transfers: sending, measuredAt }) => {
    deliveries.set({ status: 'failed' }, attention.failedDeliveries);
    deliveries.set({ status: 'dead' }, attention.deadDeliveries);
    for (const [key, gauge] of gauges) gauge.set(attention[key]);
    for (const gauge of [dueCount, dueAmount, lastDelivery]) gauge.reset();
    for (const { currency, count, amount } of due) {
      dueCount.set({ currency }, count);
      dueAmount.set({ currency }, amount);
    }
    for (const { id, processor, lastDeliveryAt } of endpoints) {
      lastDelivery.set({ processor, endpoint: id }, lastDeliveryAt / 1000);
    }
    oldestEvent.set(ageOf(oldestEventDueAt, measuredAt));
    transfers.set(sending.count);
    oldestTransfer.set(ageOf(sending.oldestCreatedAt, measuredAt));
  };
}

function disk(registry: Registry): SetMetrics {
  const database = new Gauge({
    name: 'refbridge_database_bytes',
    help: 'Size of the database',
    registers: [registry],
  });
  const log = new Gauge({
    name: 'refbridge_database_log_bytes',
    help: "Size of SQLite's write-ahead log",
    registers: [],
  });
  const free = new Gauge({
    name: 'refbridge_disk_free_bytes',
    help: 'Free space on the disk of the SQLite file',
    registers: [],
  });
  const lastBackup = new Gauge({
    name: 'refbridge_last_backup_timestamp_seconds',
    help: 'When refbridge backup last completed a copy; 0 for never',
    registers: [],
  });
  const setIfKnown = (gauge: Gauge, value: number | null) => {
    if (value === null) return;
    registry.registerMetric(gauge);
    gauge.set(value);
  };
  return ({ disk: { dataBytes, logBytes, freeBytes, lastBackupAt } }) => {
    database.set(dataBytes);
    setIfKnown(log, logBytes);
    setIfKnown(free, freeBytes);
    setIfKnown(lastBackup, lastBackupAt === null ? null : lastBackupAt / 1000);
  };
}
