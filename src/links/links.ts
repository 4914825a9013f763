import { claimKeys } from '../app/claims.ts';
import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId, ProgramId } from '../core/ids.ts';
import { isoTime, type Period } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId, randomBase62 } from '../ids.ts';
import { requirePartner } from '../programs/partners.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import { isReservedKey } from './keys.ts';
import { findLink, findLinkId, findLinks, insertLink, type Link, updateLink } from './queries/links.ts';
import { findLinkResults, type LinkResults, noResults } from './results.ts';
import { type LinkInput, type LinkListQuery, type LinkResource, linkInput } from './schemas.ts';
import { invalidateLink } from './targets.ts';

const GENERATED_KEY_CHARACTERS = 7;
/** 62^7 keys: a second attempt is rare, and a fifth means that something else is wrong. */
const GENERATED_KEY_ATTEMPTS_MAX = 5;

const ALL_TIME: Period = { from: null, to: null };

type LinkWithResults = Link & LinkResults;

/**
 * Creates a link in its partner's program. `domain` defaults to the service's own host, `key` to a generated one.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner; `CONFLICT` when domain and key are taken
 */
export function createLink(
  service: Service,
  accountId: AccountId,
  { domain, key, ...input }: LinkInput,
): Promise<LinkResource> {
  const now = service.clock();
  return service.database.write(async (tx) => {
    const { partnerId, programId } = await requireOwner(tx, accountId, input);
    const link = { ...input, programId, partnerId, accountId, domain: domain ?? ownHost(service), createdAt: now };
    const added = key === null ? await addWithGeneratedKey(tx, link) : await addWithKey(tx, link, key);
    return asResource(service, { ...added, ...noResults() });
  });
}

/**
 * One page of links, the newest first, each with its results from `from` (included) to `to` (excluded), or of all time.
 *
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function listLinks(
  service: Service,
  accountId: AccountId,
  { limit, cursor, ...period }: LinkListQuery,
): Promise<Page<LinkResource>> {
  requirePeriod(period);
  const show = (link: LinkWithResults) => asResource(service, link);
  return service.database.report((tx) => {
    const find = async (bounds: PageBounds) => {
      return withResults(tx, accountId, await findLinks(tx, accountId, bounds), period);
    };
    return pageOf({ limit, cursor }, find, show);
  });
}

/**
 * One link with its results in a period, as `listLinks`.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`
 */
export function getLink(service: Service, accountId: AccountId, id: string, period: Period): Promise<LinkResource> {
  requirePeriod(period);
  return service.database.report(async (tx) => {
    const link = await requireLink(tx, accountId, id);
    return asResource(service, await withResultsOfOne(tx, link, period));
  });
}

/**
 * Applies a JSON Merge Patch; null removes the commission, and leaves domain and key unchanged. The link may move to
 * another partner of the same program, who then gets later clicks and leads.
 *
 * @throws ServiceError `NOT_FOUND` for the link or partner, `VALIDATION_ERROR`, `CONFLICT` when domain and key are taken
 */
export async function changeLink(
  service: Service,
  accountId: AccountId,
  id: string,
  patch: MergePatch<LinkInput>,
): Promise<LinkResource> {
  const { before, changed } = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.link(id)]);
    const link = await requireLink(tx, accountId, id);
    const input = applyPatch(linkInput, link, patch);
    const named = { partnerId: input.partnerId, programId: input.programId ?? link.programId };
    const { partnerId, programId } = await requireOwner(tx, accountId, named);
    if (programId !== link.programId) {
      throw validationError([{ path: 'programId', message: 'cannot be changed; create another link' }]);
    }
    const [domain, key] = [input.domain ?? link.domain, input.key ?? link.key];
    const changed = { ...link, ...input, programId, partnerId, domain, key };
    await claimKey(tx, changed);
    const holder = await findLinkId(tx, changed.domain, changed.key);
    if (holder !== undefined && holder !== id) throw keyTaken(changed);
    await updateLink(tx, changed);
    return { before: link, changed };
  });
  invalidateLink(service, before);
  const withResults = await service.database.report((tx) => withResultsOfOne(tx, changed, ALL_TIME));
  return asResource(service, withResults);
}

/** Adds the results and keeps the order; the links must be sorted by id. */
async function withResults(
  tx: Transaction,
  accountId: AccountId,
  links: readonly Link[],
  period: Period,
): Promise<LinkWithResults[]> {
  const [newest, oldest] = [links.at(0), links.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const range = { accountId, firstId: oldest.id, lastId: newest.id };
  const results = await findLinkResults(tx, range, period);
  return links.map((link) => ({ ...link, ...(results.get(link.id) ?? noResults()) }));
}

async function withResultsOfOne(tx: Transaction, link: Link, period: Period): Promise<LinkWithResults> {
  const results = await findLinkResults(tx, { accountId: link.accountId, firstId: link.id, lastId: link.id }, period);
  return { ...link, ...(results.get(link.id) ?? noResults()) };
}

async function addWithKey(tx: Transaction, link: Omit<Link, 'id' | 'key'>, key: string): Promise<Link> {
  const added = { ...link, id: createId('lnk'), key };
  await claimKey(tx, added);
  if (!(await insertLink(tx, added))) throw keyTaken(added);
  return added;
}

async function addWithGeneratedKey(tx: Transaction, link: Omit<Link, 'id' | 'key'>): Promise<Link> {
  for (let attempt = 0; attempt < GENERATED_KEY_ATTEMPTS_MAX; attempt += 1) {
    const added = { ...link, id: createId('lnk'), key: randomBase62(GENERATED_KEY_CHARACTERS) };
    if (!isReservedKey(added.key) && (await insertLink(tx, added))) return added;
  }
  throw new Error(`Found no free key on ${link.domain}`);
}

/** A unit checks whether domain and key are free before it writes; nobody else may take them before it ends. */
function claimKey(tx: Transaction, { domain, key }: Link): Promise<void> {
  return tx.claim(() => [claimKeys.linkKey(domain, key)]);
}

function keyTaken({ domain, key }: Link): ServiceError {
  return new ServiceError('CONFLICT', `key: ${JSON.stringify(key)} is taken on ${domain}; choose another`);
}

/** The partner and its program; a given program must be the partner's. */
async function requireOwner(
  tx: Transaction,
  accountId: AccountId,
  { partnerId, programId }: { partnerId: string; programId: string | null },
): Promise<{ partnerId: PartnerId; programId: ProgramId }> {
  const partner = await requirePartner(tx, accountId, partnerId);
  if (programId === null || programId === partner.programId) {
    return { partnerId: partner.id, programId: partner.programId };
  }
  const message = `must be the program of the partner, ${partner.programId}`;
  throw validationError([{ path: 'programId', message }]);
}

async function requireLink(tx: Transaction, accountId: AccountId, id: string): Promise<Link> {
  const link = await findLink(tx, accountId, id);
  if (link === undefined) throw notFound('link', id);
  return link;
}

function asResource(service: Service, link: LinkWithResults): LinkResource {
  const { domain, key } = link;
  const protocol = domain === ownHost(service) ? new URL(service.baseUrl).protocol : 'https:';
  return {
    id: link.id,
    programId: link.programId,
    partnerId: link.partnerId,
    domain,
    key,
    url: link.url,
    commission: link.commission,
    shortLink: `${protocol}//${domain}/${key}`,
    clicks: link.clicks,
    leads: link.leads,
    sales: link.sales,
    revenue: link.revenue,
    earnedCommission: link.earnedCommission,
    createdAt: isoTime(link.createdAt),
  };
}

/** `BASE_URL` without its scheme. */
function ownHost(service: Service): string {
  return new URL(service.baseUrl).host;
}
