import type { MetricsAccess } from './metrics-access.ts';

/** What is counted, of this process; and who may read it. */
export interface Metrics {
  readonly access: MetricsAccess;
  /** An answered request, by the route's pattern; 499 for a client that left. */
  requestEnded(route: string, method: string, status: number, seconds: number): void;
  /** A delivery that was answered; `rejected` for a signature that did not match. */
  deliveryAnswered(processor: string, outcome: string): void;
  /** A visitor was sent on without an id, because the database could not record the visit. */
  clickLost(): void;
  /** All of it, as Prometheus reads it. */
  text(): Promise<{ contentType: string; text: string }>;
}

/** Nobody may read them: nothing is counted. */
export const METRICS_OFF: Metrics = {
  access: { kind: 'off' },
  requestEnded() {},
  deliveryAnswered() {},
  clickLost() {},
  text: async () => ({ contentType: 'text/plain', text: '' }),
};

/** Counting costs 3 % of the webhooks, and the usual metrics of Node wake the process all the time: off, there is none. */
export async function createMetrics(access: MetricsAccess): Promise<Metrics> {
  if (access.kind === 'off') return METRICS_OFF;
  const { createPrometheusMetrics } = await import('./prometheus-metrics.ts');
  return createPrometheusMetrics(access);
}
