import { type Page, pageOf, pageOfPartners, withNarrowing } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { LeadListQuery, LeadResource } from './customer-schemas.ts';
import { listedPartnersOf, searchOf } from './list-partners.ts';
import { findLeads, type LeadView, orderOfLeads } from './queries/list-leads.ts';

/** One page of leads, newest first. */
export function listLeads(service: Service, accountId: AccountId, query: LeadListQuery): Promise<Page<LeadResource>> {
  const { limit, cursor, from, to, partnerId, tenantId, linkId, search, email, ...others } = query;
  const filters = { ...others, ...searchOf({ search, email }) };
  const page = { limit, cursor, from, to, values: { linkId } };
  return service.database.report((tx) =>
    pageOf(
      page,
      async (bounds) => {
        const partnerIds = await listedPartnersOf(tx, accountId, { partnerId, tenantId, linkId });
        return pageOfPartners(partnerIds, { limit: bounds.limit, sortedBy: orderOfLeads(filters) }, (id) =>
          findLeads(tx, accountId, withNarrowing({ ...filters, partnerId: id }, bounds), bounds),
        );
      },
      asLead,
    ),
  );
}

/** The resource of a lead. */
export function asLead(lead: LeadView): LeadResource {
  return {
    id: lead.id,
    eventName: lead.eventName,
    customer: { externalId: lead.externalId, email: lead.email, name: lead.name },
    clickId: lead.clickId,
    linkId: lead.linkId,
    partnerId: lead.partnerId,
    partnerName: lead.partnerName,
    metadata: lead.metadata,
    createdAt: isoTime(lead.createdAt),
  };
}
