import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { AuditChanges } from './audit-schemas.ts';
import { findEntriesOf, updateEntry } from './queries/audit-log.ts';

/** Follows a partner's name in what they changed with an embed token. */
const TOKEN_ISSUER = /, embed token of (?:[a-z]{3}_[0-9a-f]{32}|command line)$/;

/**
 * Replaces the values of a partner's `members` in all audit log entries about them, and their name in those about what
 * they changed themselves. The fact that members changed stays, and so does who issued an embed token.
 */
export async function eraseFromAuditLog(
  tx: Transaction,
  accountId: AccountId,
  partnerId: string,
  { members, name }: { members: readonly string[]; name: string },
): Promise<void> {
  for (const { id, actorId, actorName, changes } of await findEntriesOf(tx, accountId, partnerId)) {
    const after = {
      actorName: actorId === partnerId ? name + (TOKEN_ISSUER.exec(actorName)?.[0] ?? '') : actorName,
      changes: withoutValues(changes, members),
    };
    if (after.actorName !== actorName || after.changes !== changes) await updateEntry(tx, id, after);
  }
}

function withoutValues(changes: string, members: readonly string[]): string {
  const entries = Object.entries(JSON.parse(changes) as AuditChanges);
  const kept = entries.map(([name, change]) => [name, members.includes(name) ? erased(change) : change]);
  return JSON.stringify(Object.fromEntries(kept));
}

function erased({ before, after }: { before: unknown; after: unknown }) {
  return { before: before === null ? null : 'erased', after: after === null ? null : 'erased' };
}
