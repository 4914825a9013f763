import { randomUUID } from 'node:crypto';
import type { Service } from '../../app/service.ts';
import type { AccountId, PayoutId } from '../../core/ids.ts';
import {
  findAccountsToSend,
  findDueTransfers,
  findTransfer,
  leaseTransfer,
  type TransferLease,
  type TransferRow,
} from '../queries/transfers.ts';

/** So many of an account at once, because a provider takes a second for each: other accounts do not wait for a silent one. */
const OF_ACCOUNT_MAX = 5;
/** So many of all accounts, which bounds connections and memory. */
const AT_ONCE_MAX = 50;
/** Longer than all requests of an attempt. A process that was killed keeps its transfers for this long. */
const LEASE_MS = 120_000;
/** Nothing is due later than this. */
export const FAR_MS = 3_600_000;

const createName = () => randomUUID();

/** The lease of this process. */
export function leaseOf(service: Service, payoutId: PayoutId): TransferLease {
  return { payoutId, leasedBy: service.state(createName) };
}

interface Leasing {
  /** The transfers that this process sees to now, with their accounts. `begin` adds to them. */
  underWay: ReadonlyMap<PayoutId, AccountId>;
  /** Null: of every account. */
  accountId: AccountId | null;
  /** Called as soon as a transfer is leased: whatever fails later, it is not left until its lease ends. */
  begin(row: TransferRow): void;
}

/**
 * Takes on transfers that are due, as far as there is room: of the accounts of which the fewest are under way, and of those
 * that have waited longest among them. So an account gets the next place that is free, however many others wait for a
 * provider that is silent.
 */
export async function leaseDue(service: Service, leasing: Leasing): Promise<void> {
  const { underWay, accountId: onlyAccountId } = leasing;
  const due = dueNow(service);
  const accountIds =
    onlyAccountId === null ? await service.database.read((tx) => findAccountsToSend(tx, due)) : [onlyAccountId];
  const counts = countByAccount(underWay);
  const countOf = (accountId: AccountId) => counts.get(accountId) ?? 0;
  for (const accountId of accountIds.sort((one, other) => countOf(one) - countOf(other))) {
    const room = Math.min(OF_ACCOUNT_MAX - countOf(accountId), AT_ONCE_MAX - underWay.size);
    if (room > 0) await leaseOfAccount(service, accountId, room, leasing);
  }
}

function countByAccount(underWay: Leasing['underWay']): Map<AccountId, number> {
  const counts = new Map<AccountId, number>();
  for (const accountId of underWay.values()) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
  return counts;
}

async function leaseOfAccount(
  service: Service,
  accountId: AccountId,
  room: number,
  { underWay, begin }: Leasing,
): Promise<void> {
  const { database } = service;
  const limit = OF_ACCOUNT_MAX + room;
  const found = await database.read((tx) => findDueTransfers(tx, accountId, { ...dueNow(service), limit }));
  // a clock that was set makes leases look as if they had ended
  const free = found.filter((payoutId) => !underWay.has(payoutId)).slice(0, room);
  for (const payoutId of free) {
    const row = await database.write(
      async (tx) => {
        const due = dueNow(service);
        const lease = { ...leaseOf(service, payoutId), ...due, leasedUntil: due.now + LEASE_MS };
        if ((await leaseTransfer(tx, lease)) === 0) return undefined;
        return findTransfer(tx, accountId, payoutId);
      },
      { alone: true },
    );
    if (row !== undefined) begin(row);
  }
}

function dueNow({ clock }: Service) {
  const now = clock();
  return { now, far: now + FAR_MS };
}
