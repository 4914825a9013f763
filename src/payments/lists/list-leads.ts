import { type Page, pageOf, pageOfPartners, withNarrowing } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { findLeads, orderOfLeads } from '../queries/list-leads.ts';
import type { LeadListQuery, LeadResource } from '../resources/customer-schemas.ts';
import { asLead } from '../resources/lead-resource.ts';
import { listedPartnersOf, searchOf } from './list-partners.ts';

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
