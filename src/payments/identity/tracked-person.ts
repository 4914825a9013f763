import { claimKeys } from '../../app/claims.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ClaimKey } from '../../storage/database.ts';
import type { CustomerProfile } from '../queries/customers.ts';

/** The members of a lead or sale that identify a person. */
interface PersonInput {
  /** Absent in a sale that is attributed by its customer. */
  clickId?: string;
  customerExternalId: string;
  customerEmail: string | null;
  customerName: string | null;
  customerAvatar: string | null;
  /** The members that were removed because they cannot be shown. */
  leftOut: readonly string[];
}

/** The claim keys of the person that a lead or sale names. */
export function claimsOfPerson(accountId: AccountId, input: PersonInput): ClaimKey[] {
  const { customerExternalId, clickId, customerEmail } = input;
  return [
    claimKeys.external(accountId, customerExternalId),
    ...(clickId === undefined ? [] : [claimKeys.click(accountId, clickId)]),
    ...(customerEmail === null ? [] : [claimKeys.email(accountId, customerEmail)]),
  ];
}

/** The profile values that were sent; null for those that were not. */
export function profileOf(input: PersonInput): CustomerProfile {
  return { email: input.customerEmail, name: input.customerName, avatar: input.customerAvatar };
}

/** Logs, without the values, that the caller sends values that cannot be shown. */
export function logLeftOut({ log }: Service, accountId: AccountId, { leftOut }: PersonInput): void {
  if (leftOut.length > 0) log.warn({ accountId, leftOut }, 'ignored invalid fields of a customer');
}
