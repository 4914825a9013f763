import { isoTime } from '../../core/time.ts';
import type { LeadView } from '../queries/list-leads.ts';
import type { LeadResource } from './customer-schemas.ts';

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
