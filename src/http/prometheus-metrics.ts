import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Metrics, MetricsAccess, MetricsSources } from '../app/metrics.ts';

/** Keeps our metrics, besides the default ones of a Node process. */
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
  const connectionCutCount = new Counter({
    name: 'refbridge_connections_cut_total',
    help: 'Connections that were cut, by reason',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  new Counter({
    name: 'refbridge_log_lines_dropped_total',
    help: 'Log lines that were dropped, because stderr did not take them',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(sources.droppedLogLines());
    },
  });
  return {
    access,
    requestEnded: (route, method, status, seconds) => requestDuration.observe({ route, method, status }, seconds),
    deliveryAnswered: (processor, outcome) => deliveryCount.inc({ processor, outcome }),
    clickLost: () => clickLossCount.inc(),
    clickLimited: () => clickLimitCount.inc(),
    connectionCut: (reason) => connectionCutCount.inc({ reason }),
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
