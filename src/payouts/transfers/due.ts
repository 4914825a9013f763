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

/** The transfers that this process sees to now, with their accounts. */
export type UnderWay = ReadonlyMap<PayoutId, AccountId>;

/**
 * Takes on transfers that are due, of the accounts that have waited longest, as far as there is room.
 *
 * @param onlyAccountId null for those of every account
 */
export async function leaseDue(
  service: Service,
  underWay: UnderWay,
  onlyAccountId: AccountId | null,
): Promise<TransferRow[]> {
  const due = dueNow(service);
  const accountIds =
    onlyAccountId === null ? await service.database.read((tx) => findAccountsToSend(tx, due)) : [onlyAccountId];
  const leased: TransferRow[] = [];
  for (const accountId of accountIds) {
    const ofAccount = [...underWay.values()].filter((id) => id === accountId).length;
    const room = Math.min(OF_ACCOUNT_MAX - ofAccount, AT_ONCE_MAX - underWay.size - leased.length);
    if (room > 0) leased.push(...(await leaseOfAccount(service, accountId, { underWay, room })));
  }
  return leased;
}

async function leaseOfAccount(
  service: Service,
  accountId: AccountId,
  { underWay, room }: { underWay: UnderWay; room: number },
): Promise<TransferRow[]> {
  const { database } = service;
  const limit = OF_ACCOUNT_MAX + room;
  const found = await database.read((tx) => findDueTransfers(tx, accountId, { ...dueNow(service), limit }));
  // a clock that was set makes leases look as if they had ended
  const free = found.filter((payoutId) => !underWay.has(payoutId)).slice(0, room);
  const rows = free.map((payoutId) =>
    database.write(
      async (tx) => {
        const due = dueNow(service);
        const lease = { ...leaseOf(service, payoutId), ...due, leasedUntil: due.now + LEASE_MS };
        if ((await leaseTransfer(tx, lease)) === 0) return undefined;
        return findTransfer(tx, accountId, payoutId);
      },
      { alone: true },
    ),
  );
  return (await Promise.all(rows)).filter((row) => row !== undefined);
}

function dueNow({ clock }: Service) {
  const now = clock();
  return { now, far: now + FAR_MS };
}
