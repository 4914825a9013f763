import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { notFound, validationError } from '../../errors.ts';
import { findLinkIdTo } from '../../links/link-to.ts';
import { ALL_TIME } from '../../links/links.ts';
import { hostOf } from '../../links/new-link.ts';
import { loadLink } from '../../links/targets.ts';
import { findPartnerIdOfTenant } from '../../programs/tenants.ts';
import { findLinkIdByExternalId } from '../queries/external-ids.ts';
import { type DubLinkInfoQuery, type DubLinkInput, withUtm } from './link-schemas.ts';

export const IN_USE = { ...ALL_TIME, archived: 'no' } as const;
/** The package's prefix for an id that is the caller's own. */
export const EXTERNAL = 'ext_';

/** The partner of a request, by id or by the caller's own id. */
export async function requirePartnerId(
  service: Service,
  accountId: AccountId,
  { partnerId, tenantId, programId }: Pick<DubLinkInput, 'partnerId' | 'tenantId' | 'programId'>,
): Promise<string> {
  if (partnerId !== null) return partnerId;
  if (tenantId === null) {
    const message = 'is required, or tenantId: every link of Refbridge belongs to a partner';
    throw validationError([{ path: 'partnerId', message }]);
  }
  const found = await service.database.read((tx) => findPartnerIdOfTenant(tx, accountId, tenantId, programId));
  if (found === undefined) throw notFound('partner with the tenantId', tenantId);
  return found;
}

/** A link's id, given as that id or as `ext_` followed by the external id. */
export async function requireLinkId(service: Service, accountId: AccountId, named: string): Promise<string> {
  if (!named.startsWith(EXTERNAL)) return named;
  const externalId = named.slice(EXTERNAL.length);
  const id = await service.database.read((tx) => findLinkIdByExternalId(tx, accountId, externalId));
  if (id === undefined) throw notFound('link with the externalId', externalId);
  return id;
}

/** @throws ServiceError `VALIDATION_ERROR` when the query names no link; `NOT_FOUND` */
export async function idOfInfo(
  service: Service,
  accountId: AccountId,
  { linkId, externalId, domain, key }: DubLinkInfoQuery,
): Promise<string> {
  if (linkId !== null) return requireLinkId(service, accountId, linkId);
  if (externalId !== null) {
    return requireLinkId(service, accountId, externalId.startsWith(EXTERNAL) ? externalId : EXTERNAL + externalId);
  }
  if (domain === null || key === null) {
    throw validationError([{ path: 'linkId', message: 'is required, or externalId, or domain and key' }]);
  }
  const link = await loadLink(service, domain, key);
  if (link?.accountId !== accountId) throw notFound('link', `${domain}/${key}`);
  return link.id;
}

/** The id of the link that an upsert changes; null to create one. */
export async function findSameLink(
  service: Service,
  accountId: AccountId,
  input: DubLinkInput,
): Promise<string | null> {
  const { externalId, key, domain } = input;
  if (externalId !== null) {
    const id = await service.database.read((tx) => findLinkIdByExternalId(tx, accountId, externalId));
    if (id !== undefined) return id;
  }
  if (key !== null) {
    const link = await loadLink(service, domain ?? hostOf(service.baseUrl), key);
    if (link?.accountId !== accountId) return null;
    const isNamed = input.partnerId !== null || input.tenantId !== null;
    // another partner's key is taken, as it is when a link is created: their visitors must not move to this one
    return !isNamed || link.partnerId === (await requirePartnerId(service, accountId, input)) ? link.id : null;
  }
  const partnerId = await requirePartnerId(service, accountId, input);
  return findLinkIdTo(service, accountId, { partnerId, domain, url: withUtm(input.url, input) });
}
