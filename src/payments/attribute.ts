import { claimKeys } from '../app/claims.ts';
import {
  type Candidate,
  candidatesFor,
  type MatchedBy,
  stepMatched,
  stepNotFound,
  type TraceStep,
} from '../core/attribution.ts';
import type { CustomerHints } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { findIdentity } from './queries/identities.ts';
import {
  findOwnerByClick,
  findOwnerByCustomer,
  findOwnerByDiscountCode,
  findOwnerByEmail,
  findOwnerByExternalId,
  type Owner,
} from './queries/owners.ts';

/** Who earned a payment, or null; and everything that was looked at on the way. */
export interface Attribution {
  match: { owner: Owner; matchedBy: MatchedBy } | null;
  steps: TraceStep[];
}

/**
 * Finds the partner of a payment that came by webhook (design, section 6). A value that leads nowhere never stops the
 * later steps; the first that leads to a partner decides, and nothing after it is looked up.
 */
export async function attribute(
  tx: Transaction,
  accountId: string,
  processor: string,
  customer: CustomerHints,
  discountCodes: readonly string[],
): Promise<Attribution> {
  const steps: TraceStep[] = [];
  for (const candidate of candidatesFor(customer, discountCodes)) {
    const owner = await lookUp(tx, accountId, processor, candidate);
    if (owner) {
      steps.push(stepMatched(candidate, describe(owner)));
      return { match: { owner, matchedBy: candidate.step }, steps };
    }
    steps.push(stepNotFound(candidate));
  }
  return { match: null, steps };
}

function lookUp(
  tx: Transaction,
  accountId: string,
  processor: string,
  candidate: Candidate,
): Promise<Owner | undefined> {
  switch (candidate.step) {
    case 'external_id':
      return findOwnerByExternalId(tx, accountId, candidate.value);
    case 'metadata_click_id':
      return findOwnerByClick(tx, accountId, candidate.value);
    case 'processor_customer':
      return ownerByIdentity(tx, accountId, processor, candidate.kind, candidate.value);
    case 'discount_code':
      return findOwnerByDiscountCode(tx, accountId, candidate.value);
    case 'email':
      return findOwnerByEmail(tx, accountId, candidate.value);
  }
}

/** The customer that an earlier delivery tied the id to; else the external id or click that it came with. */
async function ownerByIdentity(
  tx: Transaction,
  accountId: string,
  processor: string,
  kind: 'customer' | 'subscription',
  value: string,
): Promise<Owner | undefined> {
  const identity = await findIdentity(tx, accountId, processor, { kind, value });
  if (!identity) return undefined;
  const { customerId, externalId, clickId } = identity;
  if (customerId !== null) return findOwnerByCustomer(tx, accountId, customerId);
  if (externalId !== null) {
    await tx.claim(() => [claimKeys.external(accountId, externalId)]);
    const owner = await findOwnerByExternalId(tx, accountId, externalId);
    if (owner) return owner;
  }
  if (clickId === null) return undefined;
  await tx.claim(() => [claimKeys.click(accountId, clickId)]);
  return findOwnerByClick(tx, accountId, clickId);
}

function describe(owner: Owner): string {
  const customer = owner.externalId === null ? '' : `customer ${owner.externalId}, `;
  const link = owner.linkId === null ? '' : `, link ${owner.linkId}`;
  return `${customer}partner ${owner.partnerId}${link}`;
}
