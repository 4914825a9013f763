import { claimKeys } from '../../app/claims.ts';
import { insideUnit } from '../../app/inside-unit.ts';
import { noteChange } from '../../app/noted-changes.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { ServiceError, validationError } from '../../errors.ts';
import { ALL_TIME, addLink, changeLink, getLink, listLinks, requireLink } from '../../links/links.ts';
import type { LinkResource } from '../../links/schemas.ts';
import { getPartner } from '../../programs/partners.ts';
import { getProgram } from '../../programs/programs.ts';
import type { Transaction } from '../../storage/database.ts';
import { findLinkIdByExternalId, replaceExternalId } from '../queries/external-ids.ts';
import { findLinkNames, type LinkNames } from '../queries/names.ts';
import {
  type DubLink,
  type DubLinkInfoQuery,
  type DubLinkInput,
  type DubLinkListQuery,
  type DubLinkPatch,
  type DubPartnerLinkInput,
  type DubShortLink,
  NEVER,
  utmOf,
  withUtm,
} from './link-schemas.ts';
import { findSameLink, IN_USE, idOfInfo, requireLinkId, requirePartnerId } from './named-links.ts';
import { type DubReader, findDubPage } from './pages.ts';

/**
 * Creates a link for the named partner.
 *
 * @throws ServiceError `VALIDATION_ERROR` without a partner; `NOT_FOUND` for the partner; `CONFLICT` when the key or
 * the external id is taken. Nothing is stored then
 */
export async function createDubLink(service: Service, accountId: AccountId, input: DubLinkInput): Promise<DubLink> {
  const partnerId = await requirePartnerId(service, accountId, input);
  const created = await service.database.write((tx) => addDubLink(service, tx, accountId, { ...input, partnerId }));
  return withNames(service, accountId, created);
}

async function addDubLink(
  service: Service,
  tx: Transaction,
  accountId: AccountId,
  { externalId, partnerId, domain, key, programId, ...input }: DubLinkInput & { partnerId: string },
): Promise<LinkResource> {
  const link = { programId, partnerId, domain, key, url: withUtm(input.url, input), commission: null };
  const added = await addLink(service, tx, accountId, link);
  if (externalId !== null) await giveExternalId(tx, accountId, added.id, externalId);
  return added;
}

/**
 * Creates a link for a partner, to the program's `defaultUrl` unless another URL is given. @throws like `createDubLink`
 */
export async function createDubPartnerLink(
  service: Service,
  accountId: AccountId,
  { url, linkProps, ...input }: DubPartnerLinkInput,
): Promise<DubLink> {
  const partnerId = await requirePartnerId(service, accountId, input);
  const { programId } = await getPartner(service, accountId, partnerId);
  const target = url ?? (await getProgram(service, accountId, programId)).defaultUrl;
  if (target === null) {
    throw validationError([{ path: 'url', message: 'is required, because the program has no defaultUrl' }]);
  }
  const externalId = linkProps?.externalId ?? null;
  const plain = { ...utmOf(''), url: target, domain: null, key: input.key, tenantId: null };
  return createDubLink(service, accountId, { ...plain, programId: input.programId, partnerId, externalId });
}

/** @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`, `CONFLICT` */
export async function changeDubLink(
  service: Service,
  accountId: AccountId,
  named: string,
  { externalId, ...input }: DubLinkPatch,
): Promise<DubLink> {
  const id = await requireLinkId(service, accountId, named);
  const before = await getLink(service, accountId, id, ALL_TIME);
  const isNamed = input.partnerId !== null || input.tenantId !== null;
  const owner = { ...input, programId: input.programId ?? before.programId };
  await requireFree(service, accountId, id, externalId ?? null);
  const url = withUtm(input.url ?? before.url, input);
  // no other members: another request may be changing them
  const patch = {
    ...(isNamed ? { partnerId: await requirePartnerId(service, accountId, owner) } : {}),
    ...(input.url === null && url === before.url ? {} : { url }),
    domain: input.domain,
    key: input.key,
  };
  const changed = await changeLink(service, accountId, id, patch);
  if (externalId !== undefined) {
    await service.database.write(async (tx) => {
      await tx.claim(() => [claimKeys.link(id)]);
      // it may have been deleted since
      await requireLink(tx, accountId, id);
      await giveExternalId(tx, accountId, id, externalId);
    });
  }
  return withNames(service, accountId, changed);
}

/**
 * Changes the link with the same external id, the same address, or the same partner and destination; creates one
 * otherwise.
 *
 * @throws like `createDubLink`
 */
export async function upsertDubLink(service: Service, accountId: AccountId, input: DubLinkInput): Promise<DubLink> {
  const found = (await findSameLink(service, accountId, input)) ?? (await createOrFind(service, accountId, input));
  if (typeof found !== 'string') return withNames(service, accountId, found);
  return changeDubLink(service, accountId, found, { ...input, externalId: input.externalId ?? undefined });
}

/** Creates a link, unless another upsert was faster: then it returns the id of that link. */
async function createOrFind(
  service: Service,
  accountId: AccountId,
  input: DubLinkInput,
): Promise<LinkResource | string> {
  const partnerId = await requirePartnerId(service, accountId, input);
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.upsertedLinks(accountId)]);
    const found = await findSameLink(insideUnit(service, tx), accountId, input);
    return found ?? addDubLink(service, tx, accountId, { ...input, partnerId });
  });
}

/** @throws ServiceError `VALIDATION_ERROR` when the query names no link; `NOT_FOUND` */
export async function getDubLink(service: Service, accountId: AccountId, query: DubLinkInfoQuery): Promise<DubLink> {
  const id = await idOfInfo(service, accountId, query);
  return withNames(service, accountId, await getLink(service, accountId, id, ALL_TIME));
}

/** One page of links, newest first. */
export async function listDubLinks(
  service: Service,
  reader: DubReader,
  { page, pageSize, startingAfter, search, tenantId, partnerId, programId }: DubLinkListQuery,
): Promise<DubLink[]> {
  const { accountId } = reader;
  const filters = { search, tenantId, partnerId, programId };
  const links = await findDubPage(
    service,
    { page, pageSize, startingAfter },
    {
      reader,
      prefix: 'lnk',
      filters,
      find: (one) => listLinks(service, accountId, { ...one, ...IN_USE, ...filters }),
    },
  );
  const ids = links.map(({ id }) => id);
  const names = await service.database.read((tx) => findLinkNames(tx, accountId, ids));
  return links.map((link) => asDubLink(accountId, link, names.get(link.id)));
}

/**
 * A link as lists of partners show it. The sales amount is that of the only currency, or that in US dollars if there
 * are several.
 */
export function asShortLink({ id, domain, key, shortLink, url, ...results }: LinkResource): DubShortLink {
  const { clicks, leads, sales, revenue } = results;
  const [only, ...others] = Object.values(revenue);
  const saleAmount = (others.length === 0 ? only : revenue.usd) ?? 0;
  return { id, domain, key, shortLink, url, clicks, leads, conversions: sales, sales, saleAmount };
}

async function withNames(service: Service, accountId: AccountId, link: LinkResource): Promise<DubLink> {
  const names = await service.database.read((tx) => findLinkNames(tx, accountId, [link.id]));
  return asDubLink(accountId, link, names.get(link.id));
}

function asDubLink(accountId: AccountId, link: LinkResource, names: LinkNames | undefined): DubLink {
  return {
    ...NEVER,
    ...utmOf(link.url),
    ...asShortLink(link),
    externalId: names?.externalId ?? null,
    tenantId: names?.tenantId ?? null,
    programId: link.programId,
    partnerId: link.partnerId,
    // no QR code image is served; this is the content of one
    qrCode: link.shortLink,
    workspaceId: accountId,
    projectId: accountId,
    trackConversion: true,
    webhookIds: [],
    createdAt: link.createdAt,
    updatedAt: link.createdAt,
  };
}

async function giveExternalId(
  tx: Transaction,
  accountId: AccountId,
  linkId: string,
  externalId: string | null,
): Promise<void> {
  const before = (await findLinkNames(tx, accountId, [linkId])).get(linkId)?.externalId ?? null;
  if (before === externalId) return;
  if (!(await replaceExternalId(tx, accountId, linkId, externalId))) throw externalIdTaken(externalId);
  noteChange(tx, { resourceId: linkId, before: { externalId: before }, after: { externalId } });
}

async function requireFree(
  service: Service,
  accountId: AccountId,
  id: string,
  externalId: string | null,
): Promise<void> {
  if (externalId === null) return;
  const holder = await service.database.read((tx) => findLinkIdByExternalId(tx, accountId, externalId));
  if (holder !== undefined && holder !== id) throw externalIdTaken(externalId);
}

function externalIdTaken(externalId: string | null): ServiceError {
  return new ServiceError('CONFLICT', `externalId: another link of this account has ${JSON.stringify(externalId)}`);
}
