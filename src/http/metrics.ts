import type { MetricsAccess } from '../app/metrics-access.ts';
import { ServiceError } from '../errors.ts';

/** What is counted, of this process; and who may read it. */
export interface Metrics {
  readonly access: MetricsAccess;
  /** An answered request, by the route's pattern; 499 for a client that left. */
  requestEnded(route: string, method: string, status: number, seconds: number): void;
  /** A delivery that was answered; `rejected` for a signature that did not match. */
  deliveryAnswered(processor: string, outcome: string): void;
  /** A visitor was sent on without an id, because the database could not record the visit. */
  clickLost(): void;
  /** @throws ServiceError `NOT_FOUND` where they are off */
  text(): Promise<{ contentType: string; text: string }>;
}

/** Nobody may read them: nothing is counted. */
export const METRICS_OFF: Metrics = {
  access: { kind: 'off' },
  requestEnded() {},
  deliveryAnswered() {},
  clickLost() {},
  async text() {
    throw new ServiceError('NOT_FOUND', 'Metrics are off; set METRICS to switch them on');
  },
};
