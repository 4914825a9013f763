import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, pageOf, pageOfPartners } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId, ProgramId } from '../core/ids.ts';
import { isoTime, isoTimeOrNull, type Period } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { withStoredCodes } from '../programs/amounts-patch.ts';
import { requireInUse } from '../programs/in-use.ts';
import { requirePartner } from '../programs/partners.ts';
import { partnerIdsOf } from '../programs/tenants.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import { requireDomain } from './domain-owner.ts';
import { leadsToItself } from './leads-to-itself.ts';
import { linkList } from './list-links.ts';
import { addLinkWithGeneratedKey, claimLinkKey, hostOf, tryLinkKey } from './new-link.ts';
import { findLink, findLinkId, type Link, updateLink } from './queries/links.ts';
import { findLinkResults, type LinkResults, noResults } from './results.ts';
import { type LinkInput, type LinkListQuery, type LinkResource, linkInput } from './schemas.ts';
import { invalidateLink } from './targets.ts';

export const ALL_TIME: Period = { from: null, to: null };

type LinkWithResults = Link & LinkResults;

/**
 * Creates a link in its partner's program. `domain` defaults to the service's own host, `key` to a generated one.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner; `INVALID_STATE` when the partner or program is
 * archived; `CONFLICT` when domain and key, or the domain, are taken
 */
export function createLink(service: Service, accountId: AccountId, input: LinkInput): Promise<LinkResource> {
  return service.database.write((tx) => addLink(service, tx, accountId, input));
}

/** Like `createLink`, inside the caller's unit of work. */
export async function addLink(
  service: Service,
  tx: Transaction,
  accountId: AccountId,
  { domain, key, ...input }: LinkInput,
): Promise<LinkResource> {
  const owner = await requireOwner(tx, accountId, input);
  await requireInUse(tx, accountId, owner);
  const link = {
    ...input,
    ...owner,
    accountId,
    domain: domain ?? hostOf(service.baseUrl),
    createdAt: service.clock(),
    archivedAt: null,
  };
  if (key !== null) requireOtherDestination({ ...link, key });
  await requireDomain(service, tx, link);
  const added = key === null ? await addLinkWithGeneratedKey(tx, link) : await tryLinkKey(tx, link, key);
  if (added === null) throw keyTaken({ domain: link.domain, key });
  const created = asResource(service, { ...added, ...noResults() });
  noteChange(tx, { resourceId: added.id, after: created });
  return created;
}

/**
 * One page of links, newest first, each with its results from `from` (inclusive) to `to` (exclusive), or of all time.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `INVALID_STATE` when a sum is beyond 2^53
 */
export function listLinks(
  service: Service,
  accountId: AccountId,
  { limit, cursor, from, to, search, partnerId, tenantId, programId, archived }: LinkListQuery,
): Promise<Page<LinkResource>> {
  const period = requirePeriod({ from, to });
  const filters = { search: search?.toLowerCase() ?? null, programId, archived };
  const show = (link: LinkWithResults) => asResource(service, link);
  return service.database.report(async (tx) => {
    const partnerIds = await partnerIdsOf(tx, accountId, { partnerId, tenantId });
    const findLinks = await linkList(tx, accountId, filters, { isOfPartners: partnerIds !== null });
    const find = async (bounds: PageBounds) => {
      const links = await pageOfPartners(partnerIds, { limit: bounds.limit, sortedBy: 'id' }, (id) =>
        findLinks(id, bounds),
      );
      return withResults(tx, links, period);
    };
    return pageOf({ limit, cursor }, find, show);
  });
}

/**
 * One link with its results in a period, like `listLinks`.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`; `INVALID_STATE` when a sum is beyond 2^53
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
 * another partner of the same program, who then gets its later clicks and leads.
 *
 * @throws ServiceError `NOT_FOUND` for the link or partner, `VALIDATION_ERROR`, `CONFLICT` when domain and key are
 * taken; `INVALID_STATE` when a sum is beyond 2^53
 */
export async function changeLink(
  service: Service,
  accountId: AccountId,
  id: string,
  patch: MergePatch<LinkInput>,
): Promise<LinkResource> {
  const { before, after } = await service.database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.link(id)]);
      const link = await requireLink(tx, accountId, id);
      // before the change, so that an answer that is refused changes nothing
      const current = await withResultsOfOne(tx, link, ALL_TIME);
      const input = applyPatch(linkInput, link, withStoredCodes(patch));
      const named = { partnerId: input.partnerId, programId: input.programId ?? link.programId };
      const owner = await requireOwner(tx, accountId, named);
      if (owner.programId !== link.programId) {
        throw validationError([{ path: 'programId', message: 'cannot be changed; create another link' }]);
      }
      if (owner.partnerId !== link.partnerId) await requireInUse(tx, accountId, owner);
      const [domain, key] = [input.domain ?? link.domain, input.key ?? link.key];
      const changed = { ...link, ...input, ...owner, domain, key };
      // links of earlier versions may lead to themselves; their other members can still be changed
      if (!leadsToItself(link)) requireOtherDestination(changed);
      if (domain !== link.domain) await requireDomain(service, tx, changed);
      await claimLinkKey(tx, changed);
      const holder = await findLinkId(tx, changed.domain, changed.key);
      if (holder !== undefined && holder !== id) throw keyTaken(changed);
      await updateLink(tx, changed);
      const shown = (one: Link) => asResource(service, { ...one, ...noResults() });
      noteChange(tx, { resourceId: link.id, before: shown(link), after: shown(changed) });
      return { before: link, after: { ...current, ...changed } };
    },
    { alone: true },
  );
  invalidateLink(service, before);
  return asResource(service, after);
}

/** Adds the results and keeps the order. */
async function withResults(tx: Transaction, links: readonly Link[], period: Period): Promise<LinkWithResults[]> {
  const ids = links.map(({ id }) => id);
  const results = await findLinkResults(tx, ids, period);
  return links.map((link) => ({ ...link, ...(results.get(link.id) ?? noResults()) }));
}

export async function withResultsOfOne(tx: Transaction, link: Link, period: Period): Promise<LinkWithResults> {
  const results = await findLinkResults(tx, [link.id], period);
  return { ...link, ...(results.get(link.id) ?? noResults()) };
}

/** @throws ServiceError `VALIDATION_ERROR` */
function requireOtherDestination(link: Pick<Link, 'domain' | 'key' | 'url'>): void {
  if (!leadsToItself(link)) return;
  const message = 'must not be the link itself, because its visitors would be redirected for ever';
  throw validationError([{ path: 'url', message }]);
}

function keyTaken({ domain, key }: { domain: string; key: string | null }): ServiceError {
  return new ServiceError('CONFLICT', `key: ${JSON.stringify(key)} is taken on ${domain}; choose another`);
}

/** The partner and its program. A given program must be the partner's. */
async function requireOwner(
  tx: Transaction,
  accountId: AccountId,
  { partnerId, programId }: { partnerId: string; programId: string | null },
): Promise<{ partnerId: PartnerId; partnerName: string; programId: ProgramId }> {
  const partner = await requirePartner(tx, accountId, partnerId);
  if (programId === null || programId === partner.programId) {
    return { partnerId: partner.id, partnerName: partner.name, programId: partner.programId };
  }
  const message = `must be the program of the partner, ${partner.programId}`;
  throw validationError([{ path: 'programId', message }]);
}

export async function requireLink(tx: Transaction, accountId: AccountId, id: string): Promise<Link> {
  const link = await findLink(tx, accountId, id);
  if (link === undefined) throw notFound('link', id);
  return link;
}

export function asResource(service: Service, link: LinkWithResults): LinkResource {
  return {
    id: link.id,
    programId: link.programId,
    partnerId: link.partnerId,
    partnerName: link.partnerName,
    domain: link.domain,
    key: link.key,
    url: link.url,
    commission: link.commission,
    shortLink: shortLinkOf(service, link),
    clicks: link.clicks,
    leads: link.leads,
    sales: link.sales,
    revenue: link.revenue,
    earnedCommission: link.earnedCommission,
    createdAt: isoTime(link.createdAt),
    archivedAt: isoTimeOrNull(link.archivedAt),
  };
}

/** The URL that the partner shares. */
export function shortLinkOf({ baseUrl }: Service, { domain, key }: Pick<Link, 'domain' | 'key'>): string {
  const protocol = domain === hostOf(baseUrl) ? new URL(baseUrl).protocol : 'https:';
  return `${protocol}//${domain}/${key}`;
}
