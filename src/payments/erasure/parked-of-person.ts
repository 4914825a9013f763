import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { NamedIdentity, ProcessorId } from '../queries/identities.ts';
import { ownerHint, type ParkedHint } from '../queries/parked-hints.ts';
import { findParkedNaming } from '../queries/parked-naming.ts';
import { findPayment, type Payment } from '../queries/payments.ts';

/** An identifier of a person under which more payments are parked than a unit of work erases. */
export interface ManyParked {
  hint: ParkedHint;
  /** Of the person, or our id of a guest, if the payments may also be somebody else's; otherwise empty. See `isPaidBy`. */
  externalId: string;
}

/** Finds parked payments under identifiers of a person; leaves out those of identifiers with more than `max`. */
export async function findNaming(
  tx: Transaction,
  accountId: AccountId,
  names: readonly ManyParked[],
  max: number,
): Promise<{ ids: PaymentId[]; many: ManyParked[] }> {
  const ids: PaymentId[] = [];
  const many: ManyParked[] = [];
  for (const name of names) {
    const found = await findParkedNaming(tx, accountId, name.hint, max + 1);
    if (found.length > max) many.push(name);
    else ids.push(...found);
  }
  return { ids, many };
}

/** The identifier under which payments are parked that name a person. */
export function nameOfPerson(externalId: string): ManyParked {
  return { hint: { kind: 'external', value: externalId }, externalId };
}

/** The identifier under which a customer's payments are parked that another program must earn. */
export function nameOfOwner(customerId: CustomerId, externalId: string): ManyParked {
  return { hint: ownerHint(customerId), externalId };
}

/** The identifiers of a processor, under which somebody else's payments may be parked, too. */
export function namesOfIdentities(identities: readonly ProcessorId[], externalId: string): ManyParked[] {
  return identities.map(({ processor, kind, value }) => ({
    hint: { kind, value: `${processor}:${value}` },
    externalId,
  }));
}

/**
 * False for a payment that names somebody else, or that only has the processor's customer in common with the person.
 *
 * @param isIndexed true if it is parked under `nameOfPerson` or `nameOfOwner`, too
 */
export function isPaidBy(
  externalId: string,
  identities: readonly NamedIdentity[],
  isIndexed: boolean,
  { parked }: Payment,
): boolean {
  const { externalIds = [], subscriptionId = null } = parked?.fact.customer ?? {};
  if (externalIds.length > 0) return externalIds.some(({ value }) => value === externalId);
  return isIndexed || subscriptionId === null || identities.some(({ value }) => value === subscriptionId);
}

/** Those of the payments that are parked. */
export async function findParkedOf(
  tx: Transaction,
  accountId: AccountId,
  paymentIds: readonly PaymentId[],
): Promise<Payment[]> {
  const payments: Payment[] = [];
  for (const paymentId of paymentIds) {
    const payment = await findPayment(tx, accountId, paymentId);
    if (payment?.parked) payments.push(payment);
  }
  return payments;
}
