import { inOrder } from '../app/in-order.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { recordEvent } from '../events/record.ts';
import { lookAheadToSubscribers } from '../events/subscriptions.ts';
import { createId } from '../ids.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { backfillParked } from './backfill.ts';
import { withoutPerson } from './erasure/erase.ts';
import { bindCustomer } from './identity/customers.ts';
import { requireClick } from './identity/require-click.ts';
import { claimsOfPerson, logLeftOut, profileOf } from './identity/tracked-person.ts';
import { findKnownOfNew } from './parked-for.ts';
import { type CustomerRow, findKnownPerson } from './queries/customers.ts';
import { findLead, insertLead, type LeadRow, type NewLead } from './queries/leads.ts';
import { findLeadView } from './queries/list-leads.ts';
import type { ClickOwner } from './queries/owners.ts';
import type { LeadInput, TrackedLeadResource } from './resources/customer-schemas.ts';
import { asLead } from './resources/lead-resource.ts';

/**
 * Records a lead: binds the customer permanently to the click of the first lead, overwrites stored profile values with
 * sent ones, and turns payments that were parked for this customer into sales, in the same unit of work. A repeated
 * combination of customer and event counts once and returns the stored lead.
 *
 * @param isDeferred only binds the customer; a later report records the lead
 * @throws ServiceError `INVALID_CLICK_ID`
 */
export async function trackLead(
  service: Service,
  accountId: AccountId,
  reported: LeadInput,
  { isDeferred = false } = {},
): Promise<TrackedLeadResource> {
  const { eventName, customerExternalId: externalId } = reported;
  const now = service.clock();
  const scope = { accountId, now };
  logLeftOut(service, accountId, reported);
  return service.database.write(async (tx) => {
    await tx.claim(() => claimsOfPerson(accountId, reported));
    tx.lookAhead((ahead) => findKnownOfNew(ahead, scope, personOf(reported)));
    const [owner, { customer: known, isErased }] = await inOrder(
      requireClick(tx, accountId, reported.clickId),
      findKnownPerson(tx, accountId, externalId),
      lookAheadToSubscribers(tx, accountId),
    );
    const input = isErased ? withoutPerson(reported) : reported;
    const { metadata } = input;
    // a guest already has a customer row, which may hold an e-mail address that was not sent
    const isUnknown = known === undefined && owner.customerId === null;
    const knownOfNew = isUnknown ? await findKnownOfNew(tx, scope, personOf(input)) : null;
    const named = { externalId, owner, profile: profileOf(input), update: 'overwrite' } as const;
    const { customer, isNew } = await bindCustomer(tx, scope, named, known);
    const { id: customerId, email } = customer;
    const { clickId, linkId, partnerId } = owner;
    const lead = { id: createId('led'), accountId, customerId, eventName, clickId, linkId, partnerId, metadata };
    const isFirst = !isDeferred && (await storeLead(tx, { ...lead, createdAt: now }, isUnknown));
    if (isFirst) {
      const data = async () => asLead(await findLeadView(tx, accountId, lead.id));
      await recordEvent(tx, { accountId, type: 'lead.created', occurredAt: now, data });
    }
    // a known customer has no parked payments, except under a new e-mail address
    const newCustomer = isNew ? { id: customerId, externalId } : null;
    const { changedProfiles } = await backfillParked(tx, scope, { newCustomer, email, identities: null }, knownOfNew);
    if (isFirst) {
      const { programId } = owner;
      const counted = { programId, partnerId, linkId, id: lead.id, createdAt: now };
      countResults(tx, [{ ...counted, currency: null, leads: 1 }]);
    }
    if (isDeferred) return resourceOf(trackedLead(owner, customer, input));
    if (isFirst && !changedProfiles) return resourceOf(trackedLead(owner, customer, input));
    const current = await findLead(tx, customerId, eventName);
    if (!current) throw new Error('The lead was inserted but not found');
    return resourceOf(current);
  });
}

/** The identifiers by which payments may be parked for a person. */
function personOf({ customerExternalId: externalId, customerEmail }: LeadInput) {
  return { customerId: null, externalId, email: customerEmail?.toLowerCase() ?? null };
}

/**
 * True when the lead is the customer's first of its event. A person who was unknown cannot have one yet, so the insert
 * is not awaited.
 */
async function storeLead(tx: Transaction, lead: NewLead, isUnknown: boolean): Promise<boolean> {
  const stored = insertLead(tx, lead);
  if (!isUnknown) return stored;
  tx.unawaited(stored);
  return true;
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
