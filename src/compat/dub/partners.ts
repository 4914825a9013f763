import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import { listLinks } from '../../links/links.ts';
import { changePartnerOfEmail, createPartner, listPartners } from '../../programs/partners.ts';
import type { PartnerResource } from '../../programs/schemas.ts';
import type { DubShortLink } from './link-schemas.ts';
import { asShortLink } from './links.ts';
import { IN_USE } from './named-links.ts';
import { type DubReader, findDubPage } from './pages.ts';
import {
  type DubPartner,
  type DubPartnerInput,
  type DubPartnerLinksQuery,
  type DubPartnerListQuery,
  NEVER_OF_PARTNER,
} from './partner-schemas.ts';

/** The only status, because every partner of Refbridge takes part in its program. */
const STATUS = 'approved';
const LINKS_SHOWN_MAX = 20;
const LINKS_MAX = 100;

/**
 * Enrolls a partner. If a partner with the same address exists, updates its name and a missing tenant id instead.
 *
 * @throws ServiceError `VALIDATION_ERROR`, `CONFLICT` when another partner has the tenant id, or the partner another one
 */
export async function createDubPartner(
  service: Service,
  accountId: AccountId,
  input: DubPartnerInput,
): Promise<DubPartner> {
  const known = await findByEmail(service, accountId, input);
  if (known !== null) return shown(service, accountId, await updated(service, accountId, known, input));
  const { email, programId, tenantId } = input;
  const name = input.name ?? email.slice(0, email.lastIndexOf('@'));
  const added = { programId, name, email, tenantId, discountCodes: [], commission: null };
  try {
    return shown(service, accountId, await createPartner(service, accountId, added));
  } catch (error) {
    // another request may have been faster
    const enrolled = isConflict(error) ? await findByEmail(service, accountId, input) : null;
    if (enrolled === null) throw error;
    return shown(service, accountId, await updated(service, accountId, enrolled, input));
  }
}

/** One page of partners, newest first, each with its newest links. */
export async function listDubPartners(
  service: Service,
  reader: DubReader,
  { page, pageSize, startingAfter, status, search, email, tenantId, programId }: DubPartnerListQuery,
): Promise<DubPartner[]> {
  const { accountId } = reader;
  if (status !== null && status !== STATUS) return [];
  const filters = { search, email, tenantId, programId };
  const partners = await findDubPage(
    service,
    { page, pageSize, startingAfter },
    {
      reader,
      prefix: 'ptr',
      filters,
      find: (one) => listPartners(service, accountId, { ...one, ...IN_USE, ...filters }),
    },
  );
  const list: DubPartner[] = [];
  for (const partner of partners) list.push(await shown(service, accountId, partner));
  return list;
}

/** The newest hundred links of one partner. */
export function listDubPartnerLinks(
  service: Service,
  accountId: AccountId,
  named: DubPartnerLinksQuery,
): Promise<DubShortLink[]> {
  return linksOf(service, accountId, named, LINKS_MAX);
}

async function linksOf(
  service: Service,
  accountId: AccountId,
  { partnerId, tenantId }: DubPartnerLinksQuery,
  limit: number,
): Promise<DubShortLink[]> {
  const query = { limit, cursor: 'lnk_z', ...IN_USE, search: null, programId: null, partnerId, tenantId };
  const { data } = await listLinks(service, accountId, query);
  return data.map(asShortLink);
}

async function shown(
  service: Service,
  accountId: AccountId,
  { id, programId, name, email, tenantId, createdAt }: PartnerResource,
): Promise<DubPartner> {
  const links = await linksOf(service, accountId, { partnerId: id, tenantId: null }, LINKS_SHOWN_MAX);
  const partner = { ...NEVER_OF_PARTNER, id, partnerId: id, programId, name, email, tenantId, createdAt };
  return { ...partner, networkStatus: STATUS, status: STATUS, links };
}

async function findByEmail(
  service: Service,
  accountId: AccountId,
  { email, programId }: DubPartnerInput,
): Promise<PartnerResource | null> {
  const filters = { search: null, tenantId: null, email, programId };
  const { data } = await listPartners(service, accountId, { limit: 1, cursor: 'ptr_z', ...IN_USE, ...filters });
  return data[0] ?? null;
}

async function updated(
  service: Service,
  accountId: AccountId,
  known: PartnerResource,
  { name, tenantId }: DubPartnerInput,
): Promise<PartnerResource> {
  const patch = { ...(name === null ? {} : { name }), ...(tenantId === null ? {} : { tenantId }) };
  const isSame = (name ?? known.name) === known.name && (tenantId ?? known.tenantId) === known.tenantId;
  return isSame ? known : changePartnerOfEmail(service, accountId, known, patch);
}

function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'CONFLICT';
}
