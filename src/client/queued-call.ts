import type { ClientError } from './send.ts';

const PATHS = ['/api/track/lead', '/api/track/sale', '/api/sales', '/api/refunds'] as const;

/** A lead, sale or refund that could not be sent yet. Contains the reported data, including the customer's e-mail address. */
export interface QueuedCall {
  path: (typeof PATHS)[number];
  /** The JSON text to send. */
  body: string;
  /** The number of attempts without a final answer. */
  attempts: number;
  /** Epoch milliseconds. */
  queuedAt: number;
}

/**
 * Called for problems that no result reports: a queued call that was dropped, with the call; and with null a store that
 * failed, or a key or address with which the queue cannot be sent.
 */
export type OnProblem = (error: ClientError, call: QueuedCall | null) => void;

/** False for anything in a store that is not a queued call. */
export function isQueuedCall(value: unknown): value is QueuedCall {
  if (typeof value !== 'object' || value === null) return false;
  const { path, body, attempts, queuedAt } = value as Record<string, unknown>;
  const isPath = (PATHS as readonly unknown[]).includes(path);
  return isPath && typeof body === 'string' && Number.isInteger(attempts) && Number.isFinite(queuedAt);
}
