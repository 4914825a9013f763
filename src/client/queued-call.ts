import type { ClientError } from './send.ts';

/** A lead or sale that could not be sent yet. Holds what was reported, the customer's address included. */
export interface QueuedCall {
  path: '/api/track/lead' | '/api/track/sale';
  /** The JSON text that is sent. */
  body: string;
  /** How often it was sent without an answer that stands. */
  attempts: number;
  /** Epoch milliseconds. */
  queuedAt: number;
}

/** Told of what nobody awaits: a queued call that was given up, a store that failed. */
export type OnProblem = (error: ClientError, call: QueuedCall | null) => void;

/** False for what a store gives back that was never ours. */
export function isQueuedCall(value: unknown): value is QueuedCall {
  if (typeof value !== 'object' || value === null) return false;
  const { path, body, attempts, queuedAt } = value as Record<string, unknown>;
  const isPath = path === '/api/track/lead' || path === '/api/track/sale';
  return isPath && typeof body === 'string' && Number.isInteger(attempts) && Number.isFinite(queuedAt);
}
