import { restartScan } from '../app/scans.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type Matching,
  markDue,
  markKnownOfNew,
  markParkedByEmail,
  markParkedByIdentities,
  type NewPerson,
  type ParkedFor,
  type ProcessorKeys,
} from './queries/parked-hints.ts';
import type { Scope } from './scope.ts';

/** Few enough that attributing them holds up other requests for milliseconds only. */
export const ATTRIBUTED_PER_UNIT = 25;

/** Usually at most: a payment is found by the external id, by two ids of the processor and by the address. */
const ROWS_PER_PAYMENT = 4;
/** If there are fewer rows, they are all. */
export const ROWS_FOUND = ROWS_PER_PAYMENT * ATTRIBUTED_PER_UNIT + 1;

/** One row more says something else. */
export function matchingOf({ accountId, now }: Scope): Matching {
  return { accountId, now, limit: ROWS_FOUND + 1 };
}

/** What payments may be parked under; null for what is not new. */
export interface NewHints {
  person: NewPerson | null;
  identities: ProcessorKeys | null;
  /** In lower case. */
  email: string | null;
  /** Payments found under what is not new any more. */
  found?: readonly ParkedFor[];
}

/**
 * Leaves the parked payments that these match to the server, except those that this unit attributes: the server also
 * attributes those that expire in the meantime.
 */
export function leaveToServer(
  tx: Transaction,
  scope: Scope,
  { person, identities, email, found = [] }: NewHints,
): void {
  const matching = matchingOf(scope);
  if (person !== null) tx.unawaited(markKnownOfNew(tx, matching, person));
  if (identities !== null) tx.unawaited(markParkedByIdentities(tx, matching, identities));
  if (email !== null) tx.unawaited(markParkedByEmail(tx, matching, email));
  if (found.length > 0) tx.unawaited(markDue(tx, scope.accountId, found));
  tx.last('attribute payments', startJobs, scope.accountId);
}

async function startJobs(tx: Transaction, accountIds: readonly AccountId[]): Promise<void> {
  for (const accountId of [...new Set(accountIds)].sort()) {
    tx.unawaited(restartScan(tx, 'attribute payments', accountId, ''));
  }
}
