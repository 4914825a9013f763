import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { AuditChanges } from './audit-schemas.ts';
import { countEntriesOf, findEntriesOf, updateEntry } from './queries/audit-log.ts';

/** Follows a partner's name in what they changed with an embed token. */
const TOKEN_ISSUER = /, embed token of (?:[a-z]{3}_[0-9a-f]{32}|command line)$/;

/** Few enough that erasing them holds up other requests for milliseconds only. */
const ENTRIES_PER_UNIT = 500;

/** The entries about a partner that earlier units of work have erased: how many, and up to which. */
export interface ErasedEntries {
  count: number;
  lastId: string;
}

export const NO_ENTRIES: ErasedEntries = { count: 0, lastId: '' };

/**
 * Replaces the values of a partner's `members` in the next audit log entries about them, and their name in those about what
 * they changed themselves. The fact that members changed stays, and so does who issued an embed token.
 *
 * @returns what to pass to the next unit of work; null when all entries are erased
 */
export async function eraseFromAuditLog(
  tx: Transaction,
  {
    accountId,
    partnerId,
    members,
    name,
  }: { accountId: AccountId; partnerId: string; members: readonly string[]; name: string },
  { count, lastId: afterId }: ErasedEntries,
): Promise<ErasedEntries | null> {
  const entries = await findEntriesOf(tx, accountId, partnerId, { afterId, limit: ENTRIES_PER_UNIT });
  for (const { id, actorId, actorName, changes } of entries) {
    const after = {
      actorName: actorId === partnerId ? name + (TOKEN_ISSUER.exec(actorName)?.[0] ?? '') : actorName,
      changes: withoutValues(changes, members),
    };
    if (after.actorName !== actorName || after.changes !== changes) await updateEntry(tx, id, after);
  }
  const erased = { count: count + entries.length, lastId: entries.at(-1)?.id ?? afterId };
  if (entries.length === ENTRIES_PER_UNIT) return erased;
  // a process whose clock is behind may have added one before those of an earlier unit
  return (await countEntriesOf(tx, accountId, partnerId)) === erased.count ? null : NO_ENTRIES;
}

function withoutValues(changes: string, members: readonly string[]): string {
  const entries = Object.entries(JSON.parse(changes) as AuditChanges);
  const kept = entries.map(([name, change]) => [name, members.includes(name) ? erased(change) : change]);
  return JSON.stringify(Object.fromEntries(kept));
}

function erased({ before, after }: { before: unknown; after: unknown }) {
  return { before: before === null ? null : 'erased', after: after === null ? null : 'erased' };
}
