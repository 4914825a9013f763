import type { Service } from '../app/service.ts';
import { destinationFor } from '../core/destination.ts';
import { recordVisitor, type Visitor } from './click.ts';
import { resolveLink } from './targets.ts';

/** A visitor's way through a link. */
export interface Followed {
  linkId: string;
  /** Where to go. */
  destination: string;
  /** Why a person's visit was not recorded; null where it was, or nobody wanted it to be. */
  lossReason: string | null;
}

export interface Request {
  /** As the `Host` header names it. */
  domain: string;
  key: string;
  /** The raw query, which goes on to the destination. */
  query: string;
}

/**
 * Records a visit and tells where it leads; null for an unknown link. Whatever hinders the recording, the visitor is
 * sent on, then without a click's id.
 *
 * @param visitor null for whoever is no person: a bot, a preview
 * @throws ServiceError `UNAVAILABLE` when the link can neither be looked up nor is cached
 */
export async function followLink(
  service: Service,
  { domain, key, query }: Request,
  visitor: Visitor | null,
): Promise<Followed | null> {
  const found = await resolveLink(service, domain, key);
  if (found === null) return null;
  const { link, isCurrent } = found;
  const towards = (clickId: string | null, lossReason: string | null): Followed => {
    return { linkId: link.id, destination: destinationFor(link.url, { query, clickId }), lossReason };
  };
  if (visitor === null) return towards(null, null);
  if (!isCurrent) return towards(null, 'The database did not answer');
  try {
    return towards(await recordVisitor(service, link, visitor), null);
  } catch (error) {
    return towards(null, error instanceof Error ? error.message : String(error));
  }
}
