/** Who may read `/metrics`: nobody, everybody, or clients that send the bearer token. */
export type MetricsAccess = { kind: 'off' } | { kind: 'public' } | { kind: 'token'; token: string };

/** The counters of this process, and who may read them. */
export interface Metrics {
  readonly access: MetricsAccess;
  /** Counts an answered request by the route's pattern; status 499 when the client disconnected. */
  requestEnded(route: string, method: string, status: number, seconds: number): void;
  /** Counts an answered delivery; outcome `rejected` when the signature did not match. */
  deliveryAnswered(processor: string, outcome: string): void;
  /** Counts a visitor redirected without a click id, because the database could not record the click. */
  clickLost(): void;
  /** Counts a visitor redirected without a click id, because too many clicks came from one address. */
  clickLimited(): void;
  /** Counts a connection that was cut: too many of one address, too many requests at once, answers that nobody reads. */
  connectionCut(reason: 'address' | 'pipelining' | 'stalled'): void;
  /** The counters in Prometheus format; null when metrics are off. */
  text(): Promise<{ contentType: string; text: string } | null>;
}

/** Counts that others keep; read when somebody asks for the metrics. */
export interface MetricsSources {
  /** Log lines dropped so far, because stderr did not take them. */
  droppedLogLines(): number;
}

/** Counts nothing, because nobody may read it. */
export const METRICS_OFF: Metrics = {
  access: { kind: 'off' },
  requestEnded() {},
  deliveryAnswered() {},
  clickLost() {},
  clickLimited() {},
  connectionCut() {},
  text: async () => null,
};
