import { BoundedCache } from '../app/bounded-cache.ts';
import { createLinksGeneration } from '../app/links-generation.ts';
import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import { parseHost } from '../schema/host-field.ts';
import { isLinkKey } from './keys.ts';
import { findLinkTarget, type LinkTarget } from './queries/clicks.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

/** How long a cached link is used without querying the database. */
const FRESH_MS = 1_000;
/** How long a cached link may be used while the database does not answer. */
const STALE_MS = 3_600_000;

export interface ResolvedLink {
  link: LinkTarget;
  /** False when the database did not answer and the link is up to an hour old. */
  isCurrent: boolean;
}

/** Links by generation, domain as stored, and key. */
const createLinkCache = ({ clock }: Service) =>
  new BoundedCache<string, LinkTarget>({ entriesMax: 10_000, maxAgeMs: STALE_MS, clock });

/**
 * The link with this key on this domain (a `Host` header); null when there is none.
 *
 * The process that changes or archives a link, its partner or its program sees the change at once, other processes
 * within a second. While the database is unavailable, a link that was followed within the last hour still resolves.
 *
 * @throws ServiceError `UNAVAILABLE` when the database does not answer and the link is not cached
 */
export async function resolveLink(service: Service, domain: string, key: string): Promise<ResolvedLink | null> {
  const cache = service.state(createLinkCache);
  // most browsers send the domain in its stored form
  const fresh = cache.get(nameOf(service, domain, key), FRESH_MS);
  if (fresh !== undefined) return { link: fresh, isCurrent: true };
  const host = hostOfLink(domain, key);
  if (host === null) return null;
  const name = nameOf(service, host, key);
  const stale = cache.get(name);
  const find = () => service.database.read((tx) => findLinkTarget(tx, host, key));
  try {
    const link = await cache.load(name, () =>
      stale === undefined ? find() : withTimeout(find(), DATABASE_TIMEOUT_MS),
    );
    return link === undefined ? null : { link, isCurrent: true };
  } catch (error) {
    if (stale === undefined) throw error;
    return { link: stale, isCurrent: false };
  }
}

/**
 * Like `resolveLink`, but always reads the database.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function loadLink({ database }: Service, domain: string, key: string): Promise<LinkTarget | null> {
  const host = hostOfLink(domain, key);
  return host === null ? null : ((await database.read((tx) => findLinkTarget(tx, host, key))) ?? null);
}

/** Call it after a link was changed. */
export function invalidateLink(service: Service, { domain, key }: { domain: string; key: string }): void {
  service.state(createLinkCache).invalidate(nameOf(service, domain, key));
}

function nameOf(service: Service, domain: string, key: string): string {
  return `${service.state(createLinksGeneration).number}/${domain}/${key}`;
}

/** The domain as stored; null when no link can match. */
function hostOfLink(domain: string, key: string): string | null {
  return isLinkKey(key) ? parseHost(domain) : null;
}
