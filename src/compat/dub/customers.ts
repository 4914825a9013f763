import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { shortLinkOf } from '../../links/links.ts';
import { getCustomer, listCustomers } from '../../payments/lists/list-customers.ts';
import type { CustomerResource } from '../../payments/resources/customer-schemas.ts';
import { findCustomerExternalId, findLinkNames, type LinkNames } from '../queries/names.ts';
import type { DubCustomer, DubCustomerListQuery } from './list-schemas.ts';
import { EXTERNAL } from './named-links.ts';
import { continued, type DubReader, findDubPage } from './pages.ts';

/** One page of customers, newest first, or the one with this external id. */
export async function listDubCustomers(
  service: Service,
  reader: DubReader,
  { page, pageSize, startingAfter, email, search, externalId, includeExpandedFields }: DubCustomerListQuery,
): Promise<DubCustomer[]> {
  const { accountId } = reader;
  const filters = { email, search, from: null, to: null };
  const findPage = () =>
    findDubPage(service, continued({ page, pageSize, startingAfter }), {
      reader,
      prefix: 'cus',
      filters,
      find: (one) => listCustomers(service, accountId, { ...one, ...filters }),
    });
  if (externalId !== null && (page > 1 || startingAfter !== null)) return [];
  const customers = externalId === null ? await findPage() : await orNone(getCustomer(service, accountId, externalId));
  if (!includeExpandedFields) return customers.map(asDubCustomer);
  const links = await findLinks(service, accountId, customers);
  return customers.map((customer) => expanded(service, customer, links));
}

/**
 * A customer by our id, or by `ext_` followed by the caller's own id.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function getDubCustomer(
  service: Service,
  accountId: AccountId,
  named: string,
  isExpanded: boolean,
): Promise<DubCustomer> {
  const customer = await getCustomer(service, accountId, await externalIdOf(service, accountId, named));
  if (!isExpanded) return asDubCustomer(customer);
  const links = await findLinks(service, accountId, [customer]);
  return expanded(service, customer, links);
}

/** @throws ServiceError `NOT_FOUND`, also for a guest, who has no external id */
export async function externalIdOf(service: Service, accountId: AccountId, named: string): Promise<string> {
  if (named.startsWith(EXTERNAL)) return named.slice(EXTERNAL.length);
  const found = await service.database.read((tx) => findCustomerExternalId(tx, accountId, named));
  if (found?.externalId == null) throw notFound('customer', named);
  return found.externalId;
}

function findLinks({ database }: Service, accountId: AccountId, customers: readonly CustomerResource[]) {
  const ids = customers.flatMap(({ linkId }) => linkId ?? []);
  return database.read((tx) => findLinkNames(tx, accountId, ids));
}

function expanded(service: Service, customer: CustomerResource, links: ReadonlyMap<string, LinkNames>): DubCustomer {
  const link = links.get(customer.linkId ?? '');
  return {
    ...asDubCustomer(customer),
    link: link === undefined ? null : linkOf(service, link),
    partner: { id: customer.partnerId, name: customer.partnerName, email: null, image: null },
  };
}

function linkOf(service: Service, { id, domain, key, url, programId }: LinkNames) {
  return { id, domain, key, shortLink: shortLinkOf(service, { domain, key }), url, programId };
}

function asDubCustomer({ id, externalId, name, email, avatar, createdAt }: CustomerResource): DubCustomer {
  return { id, externalId: externalId ?? '', name, email, avatar, createdAt };
}

/** A list with the one item, or an empty list when it does not exist. */
async function orNone<Found>(found: Promise<Found>): Promise<Found[]> {
  try {
    return [await found];
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}
