import { type Page, pageOf, withNarrowing } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { isoTime } from '../../core/time.ts';
import { notFound } from '../../errors.ts';
import type { PageBounds } from '../../storage/list-filters.ts';
import { type CustomerView, findCustomers, findCustomerView } from '../queries/list-customers.ts';
import type { CustomerListQuery, CustomerResource } from '../resources/customer-schemas.ts';
import { searchCustomers } from './search-customers.ts';

/** @throws ServiceError `NOT_FOUND` */
export async function getCustomer(
  service: Service,
  accountId: AccountId,
  externalId: string,
): Promise<CustomerResource> {
  const customer = await service.database.read((tx) => findCustomerView(tx, accountId, externalId));
  if (!customer) throw notFound('customer', externalId);
  return asCustomer(customer);
}

/** One page of customers, newest first. A search finds a limited number of customers and pages through those. */
export function listCustomers(
  service: Service,
  accountId: AccountId,
  { search, email, ...page }: CustomerListQuery,
): Promise<Page<CustomerResource>> {
  const address = email?.toLowerCase() ?? null;
  return service.database.report((tx) =>
    pageOf(
      page,
      async (bounds) => {
        if (search === null) {
          return findCustomers(tx, accountId, withNarrowing({ email: address }, bounds), bounds);
        }
        const found = await searchCustomers(tx, accountId, search);
        return pageOfFound(
          found.filter((customer) => address === null || customer.email?.toLowerCase() === address),
          bounds,
        );
      },
      asCustomer,
    ),
  );
}

function pageOfFound(found: readonly CustomerView[], { limit, beforeId, narrowing }: PageBounds): CustomerView[] {
  const { fromAt = 0, toAt = Number.MAX_SAFE_INTEGER } = narrowing ?? {};
  return found
    .filter(({ id, createdAt }) => id < beforeId && createdAt >= fromAt && createdAt < toAt)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

function asCustomer(customer: CustomerView): CustomerResource {
  return {
    id: customer.id,
    externalId: customer.externalId,
    email: customer.email,
    name: customer.name,
    avatar: customer.avatar,
    clickId: customer.clickId,
    linkId: customer.linkId,
    partnerId: customer.partnerId,
    partnerName: customer.partnerName,
    createdAt: isoTime(customer.createdAt),
  };
}
