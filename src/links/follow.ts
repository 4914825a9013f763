import type { Service } from '../app/service.ts';
import { destinationFor } from '../core/destination.ts';
import type { ClickId } from '../core/ids.ts';
import { recordVisitor, type Visitor } from './click.ts';
import type { LinkTarget } from './queries/clicks.ts';
import { resolveLink } from './targets.ts';

/** A request for a link. */
export interface LinkRequest {
  /** The `Host` header. */
  domain: string;
  key: string;
  /** The raw query, which is passed on to the destination. */
  query: string;
}

/**
 * Records a click and returns the destination; null for an unknown link. When the click cannot be recorded, the visitor
 * is still redirected, without a click id.
 *
 * @param visitor null for bots and previews
 * @throws ServiceError `UNAVAILABLE` when the database does not answer and the link is not cached
 */
export async function followLink(
  service: Service,
  { domain, key, query }: LinkRequest,
  visitor: Visitor | null,
): Promise<string | null> {
  const found = await resolveLink(service, domain, key);
  if (found === null) return null;
  const { link, isCurrent } = found;
  const clickId = visitor === null ? null : await tryToRecord(service, link, visitor, isCurrent);
  return destinationFor(link.url, { query, clickId });
}

async function tryToRecord(
  service: Service,
  link: LinkTarget,
  visitor: Visitor,
  isCurrent: boolean,
): Promise<ClickId | null> {
  try {
    if (!isCurrent) throw new Error('The database did not answer');
    return await recordVisitor(service, link, visitor);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    service.metrics.clickLost();
    service.log.error({ linkId: link.id, reason }, 'click lost: the visitor was redirected without a click id');
    return null;
  }
}
