import type { EventType } from '../core/event.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import { recordEvent } from '../events/record.ts';
import type { Transaction } from '../storage/database.ts';
import { findPayout } from './queries/list.ts';
import { asPayout } from './resource.ts';

/** Records an event about a payout, in the unit of work that changes the payout. */
export function recordPayoutEvent(
  tx: Transaction,
  type: Extract<EventType, `payout.${string}`>,
  { accountId, id, occurredAt }: { accountId: AccountId; id: PayoutId; occurredAt: number },
): Promise<void> {
  const data = async () => {
    const payout = await findPayout(tx, accountId, id);
    if (!payout) throw new Error(`Payout ${id} is missing`);
    return asPayout(payout);
  };
  return recordEvent(tx, { accountId, type, occurredAt, data });
}
