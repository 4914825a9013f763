import { noteChange } from '../app/noted-changes.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { recordPayoutEvent } from './payout-events.ts';
import { findPayout } from './queries/list.ts';
import { findSending, holdSending } from './queries/owned-transfers.ts';
import { markHeld } from './queries/payouts.ts';
import { asPayout } from './resource.ts';

export interface HeldPayout {
  accountId: AccountId;
  id: PayoutId;
  /** Why nobody knows what became of the payment. */
  note: string;
  heldAt: number;
}

/**
 * Holds a payout that is processing, because nobody can find out whether it was paid: from then on only a person ends it,
 * as paid or failed. Its entries and all sums stay as they are. Returns false when it is in another state. The caller
 * has claimed `claimKeys.payout` of its partner and currency.
 */
export async function holdPayout(tx: Transaction, { accountId, id, note, heldAt }: HeldPayout): Promise<boolean> {
  const before = await findPayout(tx, accountId, id);
  if (before === undefined || !(await markHeld(tx, { id, note }))) return false;
  noteChange(tx, { resourceId: id, before: asPayout(before), after: asPayout({ ...before, status: 'held', note }) });
  await recordPayoutEvent(tx, 'payout.held', { accountId, id, occurredAt: heldAt });
  return true;
}

const MOVED =
  'The account was moved here while the transfer was under way. Stop the server that it came from, then look for the ' +
  'transfer at the provider';

/**
 * Holds the payouts of an imported account that were being sent when it was exported: the server that it came from may go
 * on sending them, and two servers must not send one payout. In the unit of work that stores the account.
 */
export async function holdMovedTransfers(tx: Transaction, accountId: AccountId, heldAt: number): Promise<void> {
  for (const { id } of await findSending(tx, accountId)) await holdPayout(tx, { accountId, id, note: MOVED, heldAt });
  await holdSending(tx, accountId, MOVED);
}
