import type { LinkId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** Archives a link, or restores it. */
export async function setLinkArchived(tx: Transaction, id: LinkId, archivedAt: number | null): Promise<void> {
  await tx.run('UPDATE links SET archived_at = @archivedAt WHERE id = @id', { id, archivedAt });
}

/** Deletes a link without history. Other links may then use its domain and key, and its external id. */
export async function deleteLinkRow(tx: Transaction, id: LinkId, now: number): Promise<void> {
  await tx.run('DELETE FROM link_external_ids WHERE link_id = @id', { id });
  await tx.run(
    `UPDATE links SET deleted_at = @now, domain = '', key = id, url = '', commission = NULL WHERE id = @id`,
    { id, now },
  );
}

/** The kinds of results that refer to a link, for everyone who ever held it. */
export async function findLinkHistory(tx: Transaction, id: LinkId): Promise<string[]> {
  const ofHolders = 'link_holders h JOIN result_days r ON r.owner_id = h.partner_id AND r.part = h.link_id';
  const kinds = {
    clicks: 'link_clicks c WHERE c.link_id = @id ORDER BY c.hour',
    leads: `${ofHolders} WHERE h.link_id = @id AND r.leads <> 0`,
    sales: `${ofHolders} WHERE h.link_id = @id AND r.sales <> 0`,
  };
  const found: string[] = [];
  for (const [kind, rows] of Object.entries(kinds)) {
    if ((await tx.get(`SELECT 1 AS one FROM ${rows} LIMIT 1`, { id })) !== undefined) found.push(kind);
  }
  return found;
}
