import type { PaymentProcessor } from './processor.ts';
import { DAY_MS } from './time.ts';

/** awaited: known only by a reference. parked: received, not attributed. counted: a sale. joined: merged into another. */
export type PaymentState = 'awaited' | 'parked' | 'counted' | 'joined';

interface Expiring {
  /** Null for a payment that is not parked. */
  expiresAt: number | null;
}

/**
 * Until when a parked payment waits for its customer, in epoch milliseconds.
 *
 * @param since when it was reported; when it was made, if it was read back later
 */
export function waitsUntil(since: number, parkedDays: number): number {
  return since + parkedDays * DAY_MS;
}

/** True when a parked payment no longer waits for its customer. */
export function isExpired({ expiresAt }: Expiring, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

interface Processed {
  /** `custom` for a payment that the API reported without one. */
  processor: PaymentProcessor;
}

/** The payment with the lowest rank survives a merge. */
const RANK: Record<PaymentState, number> = { counted: 0, parked: 1, awaited: 2, joined: 3 };

interface Mergeable {
  id: string;
  state: PaymentState;
  saleId: string | null;
}

/** Sorts payments that turned out to be one. Sale ids and payment ids sort by creation time. */
export function survivorFirst(a: Mergeable, b: Mergeable): number {
  return RANK[a.state] - RANK[b.state] || ((a.saleId ?? a.id) < (b.saleId ?? b.id) ? -1 : 1);
}

/** The processor of the first of two payments that turned out to be one; that of the second if the first has none. */
export function processorOfMerged(one: Processed, other: Processed): PaymentProcessor {
  return one.processor === 'custom' ? other.processor : one.processor;
}

/** When the survivor of a merge expires: a parked one together with the first of both. */
export function expiryOfMerged(survivor: Expiring, loser: Expiring): number | null {
  if (survivor.expiresAt === null || loser.expiresAt === null) return survivor.expiresAt;
  return Math.min(survivor.expiresAt, loser.expiresAt);
}
