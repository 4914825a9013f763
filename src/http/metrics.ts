import { METRICS_OFF, type Metrics, type MetricsAccess, type MetricsSources } from '../app/metrics.ts';

/** Loaded on demand: counting costs 3 % of the webhooks, and Node's default metrics wake an idle process 100 times a second. */
export async function createMetrics(access: MetricsAccess, sources: MetricsSources): Promise<Metrics> {
  if (access.kind === 'off') return METRICS_OFF;
  const { createPrometheusMetrics } = await import('./prometheus-metrics.ts');
  return createPrometheusMetrics(access, sources);
}
