import { claimKeys } from '../../app/claims.ts';
import type { AccountId } from '../../core/ids.ts';
import type { ClaimKey, Transaction } from '../../storage/database.ts';
import type { PersonRecord } from './person-record.ts';

/**
 * Reads a person in a unit that changes what it reads, so that nothing is added or rewritten in the meantime. All keys are
 * claimed at once, because deliveries claim a person's ids and address at once, too.
 */
export async function readClaimed(
  tx: Transaction,
  accountId: AccountId,
  read: () => Promise<PersonRecord>,
): Promise<PersonRecord> {
  const person = await read();
  return (await claimPerson(tx, accountId, person)) ? read() : person;
}

/**
 * Claims a person who was read. Returns whether they may have changed since, and must be read again: not where a single
 * writer makes claims needless.
 *
 * @param keys to claim with the person's
 */
export async function claimPerson(
  tx: Transaction,
  accountId: AccountId,
  person: PersonRecord,
  keys: readonly ClaimKey[] = [],
): Promise<boolean> {
  let isClaimed = false;
  await tx.claim(() => {
    isClaimed = true;
    return [...keys, ...keysOfPerson(accountId, person)];
  });
  return isClaimed;
}

/** The keys of a person who was read. See `readClaimed`. */
export function keysOfPerson(
  accountId: AccountId,
  { externalId, customer, identities, emails, sales }: PersonRecord,
): ClaimKey[] {
  const clickId = externalId === null ? customer?.clickId : null;
  return [
    ...(externalId === null ? [] : [claimKeys.external(accountId, externalId)]),
    ...(clickId == null ? [] : [claimKeys.click(accountId, clickId)]),
    ...(customer === null ? [] : [claimKeys.customer(customer.id)]),
    ...identities.map(({ processor, value }) => claimKeys.identity(accountId, processor, value)),
    ...emails.map((email) => claimKeys.email(accountId, email)),
    ...keysOfSales(sales),
  ];
}

/** A review or a further report of a sale rewrites how it was attributed, with what it has read before. */
function keysOfSales(sales: PersonRecord['sales']): ClaimKey[] {
  return sales.map(({ paymentId }) => claimKeys.payment(paymentId));
}
