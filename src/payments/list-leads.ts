import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import type { CustomerResource, LeadListQuery, LeadResource } from './customer-schemas.ts';
import { findCustomer } from './queries/customers.ts';
import { findLeads, type LeadView } from './queries/list-leads.ts';

/** @throws ServiceError `NOT_FOUND` */
export async function getCustomer(
  service: Service,
  accountId: AccountId,
  externalId: string,
): Promise<CustomerResource> {
  const customer = await service.database.read((tx) => findCustomer(tx, accountId, externalId));
  if (!customer) throw notFound('customer', externalId);
  return {
    id: customer.id,
    externalId: customer.externalId,
    email: customer.email,
    name: customer.name,
    avatar: customer.avatar,
    clickId: customer.clickId,
    linkId: customer.linkId,
    partnerId: customer.partnerId,
    createdAt: isoTime(customer.createdAt),
  };
}

/** One page of leads, the newest first. Filters: `customerExternalId partnerId`. */
export function listLeads(
  service: Service,
  accountId: AccountId,
  { limit, cursor, ...filters }: LeadListQuery,
): Promise<Page<LeadResource>> {
  return service.database.report((tx) =>
    pageOf({ limit, cursor }, (bounds) => findLeads(tx, accountId, filters, bounds), asLead),
  );
}

function asLead(lead: LeadView): LeadResource {
  return {
    id: lead.id,
    eventName: lead.eventName,
    customer: { externalId: lead.externalId, email: lead.email, name: lead.name },
    clickId: lead.clickId,
    linkId: lead.linkId,
    partnerId: lead.partnerId,
    metadata: lead.metadata,
    createdAt: isoTime(lead.createdAt),
  };
}
