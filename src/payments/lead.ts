import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { createId } from '../ids.ts';
import { countResults } from '../results/count.ts';
import { backfillParked } from './backfill.ts';
import type { LeadInput, TrackedLeadResource } from './customer-schemas.ts';
import { bindCustomer } from './customers.ts';
import type { CustomerRow } from './queries/customers.ts';
import { findLead, insertLead, type LeadRow } from './queries/leads.ts';
import type { ClickOwner } from './queries/owners.ts';
import { requireClick } from './require-click.ts';
import { claimsOfPerson, logLeftOut, profileOf } from './tracked-person.ts';

/**
 * Records a lead: binds the customer permanently to the click of its first lead, overwrites stored profile values with
 * sent ones, and turns payments that were parked for this customer into sales, in the same unit of work. A repeated
 * customer and event counts once and answers the stored lead.
 *
 * @throws ServiceError `INVALID_CLICK_ID`
 */
export async function trackLead(
  service: Service,
  accountId: AccountId,
  input: LeadInput,
): Promise<TrackedLeadResource> {
  const { eventName, customerExternalId: externalId, metadata } = input;
  const now = service.clock();
  logLeftOut(service, accountId, input);
  return service.database.write(async (tx) => {
    await tx.claim(() => claimsOfPerson(accountId, input));
    const owner = await requireClick(tx, accountId, input.clickId);
    const scope = { accountId, now };
    const named = { externalId, owner, profile: profileOf(input), update: 'overwrite' } as const;
    const { customer, isNew } = await bindCustomer(tx, scope, named);
    const { id: customerId, email } = customer;
    const { clickId, linkId, partnerId } = owner;
    const lead = { id: createId('led'), accountId, customerId, eventName, clickId, linkId, partnerId, metadata };
    const isFirst = await insertLead(tx, { ...lead, createdAt: now });
    // a known customer has no parked payments, except those with an e-mail address that is new
    const newCustomer = isNew ? { id: customerId, externalId } : null;
    const { changedProfiles } = await backfillParked(tx, scope, { newCustomer, email, identities: null });
    if (isFirst) {
      const { programId } = owner;
      const counted = { programId, partnerId, linkId, id: lead.id, createdAt: now };
      countResults(tx, [{ ...counted, currency: null, leads: 1 }]);
    }
    if (isFirst && !changedProfiles) return resourceOf(trackedLead(owner, customer, input));
    const stored = await findLead(tx, customerId, eventName);
    if (!stored) throw new Error('The lead was inserted but not found');
    return resourceOf(stored);
  });
}

/** The row of a lead that was just inserted. */
function trackedLead(
  { clickId, linkId, programId, link }: ClickOwner,
  { email, name }: CustomerRow,
  { eventName, customerExternalId: externalId }: LeadInput,
): LeadRow {
  return { eventName, clickId, linkId, ...link, programId, externalId, email, name };
}

function resourceOf(lead: LeadRow): TrackedLeadResource {
  return {
    eventName: lead.eventName,
    click: { id: lead.clickId },
    link: { id: lead.linkId, domain: lead.domain, key: lead.key, url: lead.url, programId: lead.programId },
    customer: { externalId: lead.externalId, email: lead.email, name: lead.name },
  };
}
