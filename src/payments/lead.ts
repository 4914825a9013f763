import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { emailField, httpUrlField, metadataField, optional, parseInput, text } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { ClaimKey, Transaction } from '../storage/database.ts';
import { attributeWaitingFor } from './attribute-waiting.ts';
import { bindCustomer, type Scope } from './customers.ts';
import { type CustomerProfile, overwriteProfile } from './queries/customers.ts';
import { findLead, insertLead, type LeadRow } from './queries/leads.ts';
import { findOwnerByClick, type Owner } from './queries/owners.ts';

/** Specification 2.1. */
const leadInput = z.object({
  clickId: text(),
  eventName: text(),
  customerExternalId: text(),
  customerEmail: optional(emailField),
  customerName: optional(text()),
  customerAvatar: optional(httpUrlField),
  metadata: optional(metadataField),
});

type LeadInput = z.output<typeof leadInput>;

/** A stored lead with the click and link that it came by. */
export type TrackedLead = LeadRow;

/**
 * Records a lead (specification 4.1): the customer is bound to the click of its first lead for ever, sent profile values
 * take the place of stored ones, and payments that waited for this customer become sales in the same unit of work.
 * A repeat of customer and event counts once and answers the stored lead.
 *
 * @throws ServiceError `VALIDATION_ERROR`, `INVALID_CLICK_ID`
 */
export async function trackLead(service: Service, accountId: string, body: unknown): Promise<TrackedLead> {
  const input = parseInput(leadInput, body);
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    await tx.claim(() => claimsOfPerson(accountId, input));
    const owner = await requireClick(tx, accountId, input.clickId);
    const profile = profileOf(input);
    const { customer, isNew } = await bindCustomer(tx, scope, input.customerExternalId, owner, profile);
    if (!isNew) await overwriteProfile(tx, customer.id, profile);
    await insertLead(tx, leadOf(scope, input, customer.id, owner));
    const arrived = { id: customer.id, externalId: input.customerExternalId, email: profile.email ?? customer.email };
    await attributeWaitingFor(tx, scope, arrived);
    const lead = await findLead(tx, customer.id, input.eventName);
    if (!lead) throw new Error('The lead was stored and is missing');
    return lead;
  });
}

/** The click's link, partner and terms. */
export async function requireClick(tx: Transaction, accountId: string, clickId: string): Promise<Owner> {
  const owner = await findOwnerByClick(tx, accountId, clickId);
  if (owner) return owner;
  throw new ServiceError(
    'INVALID_CLICK_ID',
    `clickId ${JSON.stringify(clickId)} matches no recorded click of this account: send the value of the svc_id cookie`,
  );
}

interface PersonInput {
  clickId: string;
  customerExternalId: string;
  customerEmail: string | null;
  customerName: string | null;
  customerAvatar: string | null;
}

/** Keys of the person that a lead or sale names. */
export function claimsOfPerson(accountId: string, input: PersonInput): ClaimKey[] {
  const keys = [claimKeys.external(accountId, input.customerExternalId), claimKeys.click(accountId, input.clickId)];
  return input.customerEmail === null ? keys : [...keys, claimKeys.email(accountId, input.customerEmail)];
}

export function profileOf(input: PersonInput): CustomerProfile {
  return { email: input.customerEmail, name: input.customerName, avatar: input.customerAvatar };
}

function leadOf({ accountId, now }: Scope, input: LeadInput, customerId: string, owner: Owner) {
  if (owner.linkId === null) throw new Error('A click always has a link');
  return {
    id: createId('led'),
    accountId,
    customerId,
    eventName: input.eventName,
    clickId: input.clickId,
    linkId: owner.linkId,
    partnerId: owner.partnerId,
    metadata: input.metadata === null ? null : JSON.stringify(input.metadata),
    createdAt: now,
  };
}
