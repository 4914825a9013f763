import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics, MetricsAccess, MetricsSources } from '../app/metrics.ts';
import { PROCESSORS } from '../core/processor.ts';
import { ERROR_STATUS } from '../errors.ts';
import { createMeasuredMetrics } from './measured-metrics.ts';

/** Keeps our metrics and the default ones of a Node process. */
export function createPrometheusMetrics(access: MetricsAccess, sources: MetricsSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requestDuration = new Histogram({
    name: 'refbridge_http_request_duration_seconds',
    help: 'Response time by route pattern, method and status',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const deliveryCount = new Counter({
    name: 'refbridge_deliveries_total',
    help: 'Webhook deliveries answered, by processor and outcome',
    labelNames: ['processor', 'outcome'] as const,
    registers: [registry],
  });
  // from 0, so that Prometheus sees the first one as an increase
  for (const processor of PROCESSORS) deliveryCount.inc({ processor, outcome: 'rejected' }, 0);
  const clickLossCount = new Counter({
    name: 'refbridge_clicks_lost_total',
    help: 'Visits through partner links that could not be recorded',
    registers: [registry],
  });
  const clickLimitCount = new Counter({
    name: 'refbridge_clicks_limited_total',
    help: 'Visits through partner links that were not recorded, because too many came from one address',
    registers: [registry],
  });
  const events = eventMetrics(registry);
  const connectionCutCount = new Counter({
    name: 'refbridge_connections_cut_total',
    help: 'Connections that were cut, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  addCounted(registry, sources.droppedLogLines, {
    name: 'refbridge_log_lines_dropped_total',
    help: 'Log lines that were dropped, because stderr did not take them',
  });
  addCounted(registry, sources.stoppedReports, {
    name: 'refbridge_reports_stopped_total',
    help: 'Lists and reports that were stopped at their deadline, or got no connection',
  });
  if (sources.replica) addReplicaMetrics(registry, sources.replica);
  const refusalCount = new Counter({
    name: 'refbridge_refusals_total',
    help: 'Requests answered with an error, by its code',
    labelNames: ['code'] as const,
    registers: [registry],
  });
  // from 0 as well
  for (const code of Object.keys(ERROR_STATUS)) refusalCount.inc({ code }, 0);
  const measured = createMeasuredMetrics();
  return {
    access,
    requestEnded: (route, method, status, seconds) => requestDuration.observe({ route, method, status }, seconds),
    deliveryAnswered: (processor, outcome) => deliveryCount.inc({ processor, outcome }),
    clickLost: () => clickLossCount.inc(),
    clickLimited: () => clickLimitCount.inc(),
    connectionCut: (reason) => connectionCutCount.inc({ reason }),
    ...events,
    requestRefused: (code) => refusalCount.inc({ code }),
    async text(measure) {
      const measurements = await measure();
      const texts = [await registry.metrics(), ...(measurements ? [await measured.text(measurements)] : [])];
      return { contentType: registry.contentType, text: texts.join('\n') };
    },
  };
}

/** Adds a counter of what something else counts. */
function addCounted(registry: Registry, count: () => number, metric: { name: string; help: string }): void {
  new Counter({
    ...metric,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(count());
    },
  });
}

function eventMetrics(registry: Registry): Pick<Metrics, 'eventAttempted' | 'eventEndpointSwitchedOff'> {
  const attempts = new Counter({
    name: 'refbridge_events_attempts_total',
    help: 'Attempts to send an event to an endpoint, by outcome',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const switchedOff = new Counter({
    name: 'refbridge_events_endpoints_switched_off_total',
    help: 'Event endpoints that were disabled because they answered 410 or failed for five days',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  // from 0, as for the refusals above
  for (const reason of ['gone', 'failing']) switchedOff.inc({ reason }, 0);
  return {
    eventAttempted: (outcome) => attempts.inc({ outcome }),
    eventEndpointSwitchedOff: (reason) => switchedOff.inc({ reason }),
  };
}

function addReplicaMetrics(registry: Registry, replica: NonNullable<MetricsSources['replica']>): void {
  addCounted(registry, replica.fallbacks, {
    name: 'refbridge_replica_fallbacks_total',
    help: 'Lists and reports that were read from the primary, because the replica was away, too far behind, or lacked a change',
  });
  new Gauge({
    name: 'refbridge_replica_lag_seconds',
    help: 'How far the replica was behind when a report last asked; -1 while that is unknown',
    registers: [registry],
    collect() {
      const lagMs = replica.lagMs();
      this.set(lagMs === null ? -1 : lagMs / 1000);
    },
  });
}
