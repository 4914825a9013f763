import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { AuditChanges } from './audit-schemas.ts';
import { findEntriesOf, updateActorName, updateChanges } from './queries/audit-log.ts';

/** Replaces the values of these members in all audit log entries about a resource. The fact that they changed stays. */
export async function eraseFromAuditLog(
  tx: Transaction,
  accountId: AccountId,
  resourceId: string,
  members: readonly string[],
): Promise<void> {
  for (const { id, changes } of await findEntriesOf(tx, accountId, resourceId)) {
    const entries = Object.entries(JSON.parse(changes) as AuditChanges);
    if (!entries.some(([name]) => members.includes(name))) continue;
    const kept = entries.map(([name, change]) => [name, members.includes(name) ? erased(change) : change]);
    await updateChanges(tx, id, JSON.stringify(Object.fromEntries(kept)));
  }
}

/** Follows a partner's name in what they changed with an embed token. */
const TOKEN_ISSUER = /, embed token of (?:[a-z]{3}_[0-9a-f]{32}|command line)$/;

/**
 * Replaces a partner's name in all audit log entries about what they changed, which is only ever themselves. Who issued
 * their embed token stays.
 */
export async function eraseActorFromAuditLog(
  tx: Transaction,
  accountId: AccountId,
  partnerId: string,
  words: string,
): Promise<void> {
  for (const { id, actorId, actorName } of await findEntriesOf(tx, accountId, partnerId)) {
    if (actorId !== partnerId) continue;
    await updateActorName(tx, id, words + (TOKEN_ISSUER.exec(actorName)?.[0] ?? ''));
  }
}

function erased({ before, after }: { before: unknown; after: unknown }) {
  return { before: before === null ? null : 'erased', after: after === null ? null : 'erased' };
}
