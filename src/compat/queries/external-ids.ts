import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** The link with this external id. */
export async function findLinkIdByExternalId(
  tx: Transaction,
  accountId: AccountId,
  externalId: string,
): Promise<string | undefined> {
  const row = await tx.get<{ linkId: string }>(
    'SELECT link_id AS "linkId" FROM link_external_ids WHERE account_id = @accountId AND external_id = @externalId',
    { accountId, externalId },
  );
  return row?.linkId;
}

/**
 * Gives a link this external id, replacing an earlier one; null removes it. Returns false when another link has the id.
 */
export async function replaceExternalId(
  tx: Transaction,
  accountId: AccountId,
  linkId: string,
  externalId: string | null,
): Promise<boolean> {
  await tx.run('DELETE FROM link_external_ids WHERE link_id = @linkId AND account_id = @accountId', {
    linkId,
    accountId,
  });
  if (externalId === null) return true;
  const added = await tx.run(
    `INSERT INTO link_external_ids (account_id, external_id, link_id) VALUES (@accountId, @externalId, @linkId)
     ON CONFLICT DO NOTHING`,
    { accountId, externalId, linkId },
  );
  return added === 1;
}
