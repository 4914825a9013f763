import { claimKeys } from '../../app/claims.ts';
import type { Service } from '../../app/service.ts';
import { untilIdle } from '../../app/until-idle.ts';
import type { AccountId, PayoutId } from '../../core/ids.ts';
import type { TransferResult } from '../../rails/contract/transfer.ts';
import { holdPayout } from '../held.ts';
import { findPayoutOwner } from '../queries/payouts.ts';
import {
  endTransfer,
  postponeTransfer,
  type TransferEnd,
  type TransferLease,
  type TransferRow,
} from '../queries/transfers.ts';
import { settlePayout } from '../states.ts';
import { type Attempt, type Attempted, lookAndOrder, TransferLost } from './attempt.ts';
import { leaseDue, leaseOf } from './due.ts';
import { afterUnknown } from './patience.ts';

const LOOK_MS = 200;
/** While some are under way, others may become due. */
const LOOK_DUE_MS = 1_000;

interface Work {
  /** Nothing new is begun afterwards. */
  workMsMax?: number;
  /** Null: of every account. */
  accountId?: AccountId | null;
}

/**
 * Sees to transfers that are due, until none is under way or due any more; returns how many. Any number of processes may
 * do so: each transfer is leased to one of them, and one that dies leaves it to another, which orders it under the same
 * key. An account whose provider is silent delays no other one.
 */
export async function continueTransfers(
  service: Service,
  { workMsMax = Number.POSITIVE_INFINITY, accountId: onlyAccountId = null }: Work = {},
): Promise<number> {
  const endsAt = performance.now() + workMsMax;
  const underWay = new Map<PayoutId, AccountId>();
  const ends = new Map<PayoutId, Promise<void>>();
  let count = 0;
  const begin = (row: TransferRow): void => {
    const { payoutId, accountId } = row;
    count += 1;
    underWay.set(payoutId, accountId);
    const end = takeTransfer(service, row).finally(() => {
      underWay.delete(payoutId);
      ends.delete(payoutId);
    });
    ends.set(payoutId, end);
  };
  const beginDue = async () => {
    if (count > 0 && (performance.now() >= endsAt || service.lifecycle.draining)) return 0;
    const countBefore = count;
    await leaseDue(service, { underWay, accountId: onlyAccountId, begin });
    return count - countBefore;
  };
  try {
    await untilIdle({ underWay: ends, beginDue, lookMs: LOOK_DUE_MS });
  } finally {
    // after a failure of the database
    await Promise.all(ends.values());
  }
  return count;
}

/** Sees to a leased transfer. Never rejects: after a failure of the database, its lease ends by itself. */
async function takeTransfer(service: Service, row: TransferRow): Promise<void> {
  const { log, lifecycle } = service;
  const { payoutId, accountId, rail } = row;
  const lease = leaseOf(service, payoutId);
  const stopping = new AbortController();
  const looking = setInterval(() => {
    if (lifecycle.draining) stopping.abort();
  }, LOOK_MS);
  let attempted: Attempted | null = null;
  try {
    attempted = await attempt(service, row, { lease, signal: stopping.signal });
    await record(service, { ...row, ...attempted.ordered }, lease, attempted.result);
  } catch (error) {
    const result = attempted?.result ?? null;
    const about = { payoutId, accountId, rail, result };
    if (!(error instanceof TransferLost)) {
      log.error({ ...about, err: error }, 'transfer: what became of it could not be stored; it is seen to again');
      await noteFailure(service, { ...row, ...attempted?.ordered }, lease);
    } else if (result?.outcome === 'sent') {
      log.error(about, 'transfer: sent, but the payout was ended meanwhile: look at the payout');
    } else log.warn(about, 'transfer: seen to by another process, or ended by a person');
  } finally {
    clearInterval(looking);
  }
}

/** An attempt that fails for a reason of its own proves nothing: like one that the provider does not answer, it is repeated. */
async function attempt(service: Service, row: TransferRow, options: Attempt): Promise<Attempted> {
  try {
    return await lookAndOrder(service, row, options);
  } catch (error) {
    if (error instanceof TransferLost) throw error;
    const { payoutId, accountId, rail } = row;
    service.log.error({ payoutId, accountId, rail, err: error }, 'transfer: an attempt failed');
    const reason = 'The attempt failed in this server, whose log says why';
    return { result: { outcome: 'unknown', reason, hindrance: 'failure' }, ordered: {} };
  }
}

/**
 * Otherwise nobody would see what fails each time. If that cannot be stored either, the lease ends by itself. So does that
 * of a held transfer, which may just have been found: until it is looked for again, it cannot be marked as failed.
 */
async function noteFailure(service: Service, row: TransferRow, lease: TransferLease): Promise<void> {
  if (row.status === 'held') return;
  const reason = 'What became of it could not be stored by this server, whose log says why';
  try {
    await record(service, row, lease, { outcome: 'unknown', reason, hindrance: 'failure' });
  } catch (error) {
    const { payoutId, accountId, rail } = row;
    service.log.error({ payoutId, accountId, rail, err: error }, 'transfer: that it failed could not be stored');
  }
}

async function record(service: Service, row: TransferRow, lease: TransferLease, result: TransferResult): Promise<void> {
  const { log, clock } = service;
  const { payoutId, accountId, rail } = row;
  const about = { payoutId, accountId, rail };
  switch (result.outcome) {
    case 'sent':
      await settle(service, row, lease, { status: 'paid', transferId: result.transferId, problem: null });
      log.info({ ...about, transferId: result.transferId }, 'transfer: sent');
      return;
    case 'refused':
      await settle(service, row, lease, { status: 'failed', transferId: null, problem: result.reason });
      log.warn({ ...about, reason: result.reason }, 'transfer: refused');
      return;
    case 'contradicted':
      await hold(service, row, lease, result);
      log.error({ ...about, reason: result.reason }, 'transfer: held, because a person must look');
      return;
    case 'unknown': {
      const next = service.lifecycle.draining ? { dueAt: clock() } : afterUnknown(row, result, clock());
      if ('outcome' in next) return record(service, row, lease, next);
      const { reason: problem, hindrance = null } = result;
      await service.database.write((tx) => postponeTransfer(tx, { ...lease, ...next, problem, hindrance }), {
        alone: true,
      });
      log.warn({ ...about, reason: result.reason }, 'transfer: tried again later');
    }
  }
}

interface Settled {
  status: 'paid' | 'failed';
  transferId: string | null;
  problem: string | null;
}

/** Ends the payout and its transfer in one unit. */
async function settle(
  service: Service,
  { payoutId, accountId, rail }: TransferRow,
  lease: TransferLease,
  { status, transferId, problem }: Settled,
): Promise<void> {
  const end: TransferEnd = {
    ...lease,
    status: status === 'paid' ? 'sent' : 'failed',
    transferId,
    problem,
    endedAt: service.clock(),
  };
  await settlePayout(service, accountId, payoutId, {
    status,
    note: transferId ?? problem,
    actor: { kind: 'rail', name: rail },
    endTransfer: async (tx) => {
      if ((await endTransfer(tx, end)) === 0) throw new TransferLost();
    },
  });
}

/** Leaves the payout to a person. */
async function hold(
  { database, clock }: Service,
  { payoutId, accountId }: TransferRow,
  lease: TransferLease,
  { reason, transferId }: { reason: string; transferId: string | null },
): Promise<void> {
  await database.write(
    async (tx) => {
      const owner = await findPayoutOwner(tx, accountId, payoutId);
      if (owner === undefined) throw new TransferLost();
      await tx.claim(() => [claimKeys.payout(owner.partnerId, owner.currency)]);
      const end: TransferEnd = { ...lease, status: 'held', transferId, problem: reason, endedAt: null };
      if ((await endTransfer(tx, end)) === 0) throw new TransferLost();
      // false if it was held before
      await holdPayout(tx, { accountId, id: payoutId, note: reason, heldAt: clock() });
    },
    { alone: true },
  );
}
