import type { MetricsAccess } from '../app/metrics-access.ts';
import { METRICS_OFF, type Metrics } from './metrics.ts';

/** Counting takes 3 % of the webhooks, and Node's usual metrics wake an idle process a hundred times a second. */
export async function createMetrics(access: MetricsAccess): Promise<Metrics> {
  if (access.kind === 'off') return METRICS_OFF;
  const { createPrometheusMetrics } = await import('./prometheus-metrics.ts');
  return createPrometheusMetrics(access);
}
