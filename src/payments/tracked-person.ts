import { claimKeys } from '../app/claims.ts';
import type { AccountId } from '../core/ids.ts';
import type { ClaimKey } from '../storage/database.ts';
import type { CustomerProfile } from './queries/customers.ts';

/** The members of a lead or sale that identify a person. */
interface PersonInput {
  clickId: string;
  customerExternalId: string;
  customerEmail: string | null;
  customerName: string | null;
  customerAvatar: string | null;
}

/** The claim keys of the person that a lead or sale names. */
export function claimsOfPerson(accountId: AccountId, input: PersonInput): ClaimKey[] {
  const keys = [claimKeys.external(accountId, input.customerExternalId), claimKeys.click(accountId, input.clickId)];
  return input.customerEmail === null ? keys : [...keys, claimKeys.email(accountId, input.customerEmail)];
}

/** The profile values that were sent; null for those that were not. */
export function profileOf(input: PersonInput): CustomerProfile {
  return { email: input.customerEmail, name: input.customerName, avatar: input.customerAvatar };
}
