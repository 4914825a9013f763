import { requireNothingAttached } from '../app/attached.ts';
import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { ALL_TIME, asResource, requireLink, withResultsOfOne } from './links.ts';
import { deleteLinkRow, findLinkHistory, setLinkArchived } from './queries/archive.ts';
import type { Link } from './queries/links.ts';
import { noResults } from './results.ts';
import type { LinkResource } from './schemas.ts';
import { invalidateLink } from './targets.ts';

/**
 * Archives a link, or restores it. Visitors of an archived link are told that it does not exist. Its domain and key
 * stay taken, and customers who came through it still earn their partner commission. Changes nothing when already in
 * that state.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when a sum is beyond 2^53
 */
export async function archiveLink(
  service: Service,
  accountId: AccountId,
  id: string,
  archive: boolean,
): Promise<LinkResource> {
  const now = service.clock();
  const changed = await service.database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.link(id)]);
      const link = await requireLink(tx, accountId, id);
      const current = await withResultsOfOne(tx, link, ALL_TIME);
      if ((link.archivedAt !== null) === archive) return current;
      const after = { ...current, archivedAt: archive ? now : null };
      await setLinkArchived(tx, link.id, after.archivedAt);
      const shown = (one: Link) => asResource(service, { ...one, ...noResults() });
      noteChange(tx, { resourceId: link.id, before: shown(link), after: shown(after) });
      return after;
    },
    { alone: true },
  );
  invalidateLink(service, changed);
  return asResource(service, changed);
}

/**
 * Deletes a link that nobody has ever followed. Its domain and key become free.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when it has clicks, leads or sales
 */
export async function deleteLink(service: Service, accountId: AccountId, id: string): Promise<void> {
  const now = service.clock();
  const deleted = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.link(id)]);
    const link = await requireLink(tx, accountId, id);
    requireNothingAttached({ what: 'link', id, path: '/api/links' }, await findLinkHistory(tx, link.id));
    await deleteLinkRow(tx, link.id, now);
    noteChange(tx, { resourceId: link.id, before: asResource(service, { ...link, ...noResults() }) });
    return link;
  });
  invalidateLink(service, deleted);
}
