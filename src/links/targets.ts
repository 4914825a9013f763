import { parseHost } from '../app/host-field.ts';
import { perDatabase } from '../app/per-database.ts';
import type { Service } from '../app/service.ts';
import type { Database } from '../storage/database.ts';
import { isLinkKey } from './keys.ts';
import { findLinkTarget, type LinkTarget } from './queries/clicks.ts';
import { inTime } from './timeout.ts';

/** So long a link that was looked up is followed without another look. */
const FRESH_MS = 1_000;
/** So long it may stand in for a database that does not answer. */
const REMEMBERED_MS = 3_600_000;
const REMEMBERED_MAX = 10_000;

export interface FoundLink {
  link: LinkTarget;
  /** False: the database did not answer, and this is what it said within the last hour. */
  isCurrent: boolean;
}

interface Remembered {
  found: FoundLink;
  seenAt: number;
}

const memoryOf = perDatabase(() => new Map<string, Remembered>());

/**
 * The link with this key on this domain (as a `Host` header names it); null for none.
 *
 * A change of a link is seen at once by the process that made it, and within a second by others. While the database is
 * away, a link that was followed within the last hour is found all the same.
 *
 * @throws ServiceError `UNAVAILABLE` when the database does not answer and the link is not remembered
 */
export async function findLink(service: Service, domain: string, key: string): Promise<FoundLink | null> {
  const memory = memoryOf(service.database);
  // most visitors' software writes the domain as it is stored
  const fresh = memory.get(`${domain}/${key}`);
  if (fresh !== undefined && service.clock() - fresh.seenAt < FRESH_MS) return fresh.found;
  const host = hostOfLink(domain, key);
  if (host === null) return null;
  const name = `${host}/${key}`;
  const known = memory.get(name);
  const looking = service.database.read((tx) => findLinkTarget(tx, host, key));
  if (known === undefined || service.clock() - known.seenAt > REMEMBERED_MS) {
    return remember(service, name, await looking);
  }
  try {
    return remember(service, name, await inTime(looking));
  } catch {
    return { ...known.found, isCurrent: false };
  }
}

/**
 * As `findLink`, but always what the database has now.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function lookUpLink({ database }: Service, domain: string, key: string): Promise<LinkTarget | null> {
  const host = hostOfLink(domain, key);
  return host === null ? null : ((await database.read((tx) => findLinkTarget(tx, host, key))) ?? null);
}

/** To be called after a link was changed. */
export function forgetLink(database: Database, { domain, key }: { domain: string; key: string }): void {
  memoryOf(database).delete(`${domain}/${key}`);
}

function remember(service: Service, name: string, link: LinkTarget | undefined): FoundLink | null {
  const memory = memoryOf(service.database);
  // what is put in again goes to the end, so that the first one is the longest unused
  memory.delete(name);
  if (link === undefined) return null;
  const [oldest] = memory.keys();
  if (memory.size >= REMEMBERED_MAX && oldest !== undefined) memory.delete(oldest);
  const found = { link, isCurrent: true };
  memory.set(name, { found, seenAt: service.clock() });
  return found;
}

/** The domain as it is stored; null where no link can be. */
function hostOfLink(domain: string, key: string): string | null {
  return isLinkKey(key) ? parseHost(domain) : null;
}
