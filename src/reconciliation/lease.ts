import type { Service } from '../app/service.ts';
import { messageOf } from '../errors.ts';
import { type Lease, renewLease } from './queries/leases.ts';

/** A process that was killed keeps its page for this long. */
export const LEASE_MS = 20_000;
/** An account that is being deleted waits for it. */
const RENEW_MS = 1_000;
const LOOK_MS = 200;

/** Why a page ends early. */
export class Stopped extends Error {
  /** True when the reconciliation was canceled, or belongs to another process; false when this process stops. */
  readonly isLost: boolean;

  constructor(isLost: boolean) {
    super(isLost ? 'The reconciliation is no longer read here' : 'The process stops');
    this.isLost = isLost;
  }
}

/**
 * Runs `work` and renews the lease meanwhile. The signal that it gets is aborted with `Stopped` when the process stops, and
 * when the reconciliation was canceled or another process has it.
 */
export async function whileLeased<T>(
  service: Service,
  lease: Lease,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { database, clock, lifecycle, log } = service;
  const stopping = new AbortController();
  const renew = async () => {
    try {
      const leasedUntil = clock() + LEASE_MS;
      const renewed = await database.write((tx) => renewLease(tx, { ...lease, leasedUntil }), { alone: true });
      if (renewed === 0) stopping.abort(new Stopped(true));
    } catch (error) {
      log.warn({ reconciliationId: lease.id, reason: messageOf(error) }, 'reconciliation: the lease was not renewed');
    }
  };
  const renewing = setInterval(renew, RENEW_MS);
  const looking = setInterval(() => {
    if (lifecycle.draining) stopping.abort(new Stopped(false));
  }, LOOK_MS);
  try {
    return await work(stopping.signal);
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    clearInterval(renewing);
    clearInterval(looking);
  }
}
