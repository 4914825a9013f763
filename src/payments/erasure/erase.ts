import { claimKeys } from '../../app/claims.ts';
import { markOf, markOfProcessorId } from '../../app/person-marks.ts';
import { restartScan } from '../../app/scans.ts';
import { writeEach } from '../../app/write-each.ts';
import type { TraceStep } from '../../core/attribution.ts';
import type { CustomerHints, PaymentReceived } from '../../core/facts.ts';
import type { AccountId, CustomerId, PaymentId, SaleId } from '../../core/ids.ts';
import { restartEventErasure } from '../../events/erase.ts';
import { eraseBodiesOf } from '../../inbox/erase-bodies.ts';
import { addMarks, isMarked } from '../../inbox/marks.ts';
import { eraseVisits } from '../../links/erase.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomerById, findErasedCustomer, isCustomersAddress } from '../queries/customers.ts';
import {
  ERASURE_JOB,
  eraseIdentityName,
  eraseProfile,
  eraseSaleDetails,
  FIRST_PLACE,
  findMerged,
  findPayers,
  findSalesByIds,
  findSurvivors,
} from '../queries/erasure.ts';
import { eraseUnassigned } from '../queries/identities.ts';
import { eraseLeadMetadata } from '../queries/leads-of-person.ts';
import { deleteEmailHints } from '../queries/parked-naming.ts';
import { markToErase } from '../queries/parked-to-erase.ts';
import { findPayment, updateParked } from '../queries/payments.ts';
import type { Scope } from '../scope.ts';
import { readClaimed } from './claim-person.ts';
import { findParkedOf, isPaidBy } from './parked-of-person.ts';
import { distinct, type PersonRecord, readCustomer, recordOfRest } from './person-record.ts';
import { sourcesOf } from './person-sources.ts';
import { extendRest, PARKED } from './rest-places.ts';

/**
 * Erases what is known about a person, and stores keyed hashes so that it cannot come back. Ids, amounts and ledger
 * entries stay. Also erases the guests who have other sales of the person's payments, and schedules the erasure of the sales
 * and parked payments that were not read (`erase-rest.ts`).
 */
export async function erasePerson(tx: Transaction, scope: Scope, person: PersonRecord): Promise<void> {
  const { accountId, now } = scope;
  const { externalId, customer, identities, sales, rest, parked, many, emails } = person;
  const { clickIds, paymentIds, survivorIds, deliveryIds } = await sourcesOf(tx, accountId, person);
  const marks = [
    ...(externalId === null ? [] : [markOf(accountId, 'external', externalId)]),
    ...identities.map((id) => markOfProcessorId(accountId, id)),
    // events from before the person had an id, and of payments without one, may have nothing else in common with them
    ...[...sales.map((sale) => sale.id), ...paymentIds].map((id) => markOf(accountId, 'payment', id)),
    ...emails.map((email) => markOf(accountId, 'email', email)),
  ];
  // together, because every other erasure waits meanwhile; the scans first, because they lock their own rows first, too
  const [merged] = await Promise.all([
    findMerged(tx, survivorIds),
    extendRest(tx, accountId, [rest, many.length > 0 ? PARKED : null]),
    restartScan(tx, ERASURE_JOB, accountId, JSON.stringify(FIRST_PLACE)),
    restartEventErasure(tx, accountId),
    eraseBodiesOf(tx, accountId, deliveryIds),
    eraseVisits(tx, accountId, clickIds),
    addMarks(tx, accountId, marks, now),
    ...many.map((names) => markToErase(tx, accountId, names.hint, names.externalId)),
    externalId !== null && eraseUnassigned(tx, accountId, externalId),
    customer !== null && eraseProfile(tx, customer.id, now),
    customer !== null && eraseLeadMetadata(tx, customer.id),
    writeEach(sales, ({ id, steps }) => eraseSaleDetails(tx, accountId, id, steps.map(withoutAddress))),
  ]);
  for (const { id } of parked) await eraseParked(tx, accountId, id, () => true);
  await eraseGuests(tx, scope, merged);
}

/**
 * Erases what is left of a person who was erased before. Addresses that a customer has stay: somebody else may have paid, or
 * have them now.
 *
 * @param addresses of the payers, beside those in what is left
 */
export async function eraseLater(
  tx: Transaction,
  scope: Scope,
  { emails, ...person }: PersonRecord,
  addresses: readonly (string | null)[] = [],
): Promise<void> {
  const erased: string[] = [];
  for (const address of distinct([...emails, ...addresses.map((each) => each?.toLowerCase())])) {
    if (!(await isCustomersAddress(tx, scope.accountId, address))) erased.push(address);
  }
  await erasePerson(tx, scope, { ...person, emails: erased });
}

/**
 * Erases sales of payments that were reported without their customer, and have turned out to be an erased one's: until then,
 * nobody knew whom their reports name.
 *
 * @param addresses of the payers in these reports
 */
export async function eraseSalesOfErased(
  tx: Transaction,
  scope: Scope,
  { customerId, saleIds }: { customerId: CustomerId; saleIds: readonly SaleId[] },
  addresses: readonly (string | null)[],
): Promise<void> {
  if ((await findErasedCustomer(tx, customerId)) === undefined) return;
  const sales = await findSalesByIds(tx, scope.accountId, saleIds);
  await eraseLater(tx, scope, recordOfRest({ sales }), addresses);
}

/**
 * Erases a parked payment that has turned out to be an erased customer's. An erasure of the customer at the same time has
 * ended then, or finds the payment.
 */
export async function eraseParkedOfErased(
  tx: Transaction,
  scope: Scope,
  customerId: CustomerId,
  paymentId: PaymentId,
): Promise<void> {
  await tx.claim(() => [claimKeys.customer(customerId)]);
  const customer = await findErasedCustomer(tx, customerId);
  if (customer === undefined) return;
  const found = await findParkedOf(tx, scope.accountId, [paymentId]);
  const parked = found.filter((payment) => isPaidBy(customer.externalId ?? customer.id, [], true, payment));
  if (parked.length > 0) await eraseLater(tx, scope, recordOfRest({ parked }));
}

/** Erases a customer, with or without an external id, in a unit that has not read them before. */
export async function readAndErase(tx: Transaction, scope: Scope, customer: CustomerRow): Promise<void> {
  const read = () => readCustomer(tx, scope.accountId, customer);
  await erasePerson(tx, scope, await readClaimed(tx, scope.accountId, read));
}

/** Erases the guests with sales of a payment, or of those merged with it, if one of them is an erased customer's. */
export async function eraseGuestsOfErased(tx: Transaction, scope: Scope, paymentId: PaymentId): Promise<void> {
  const merged = await findMerged(tx, await findSurvivors(tx, [paymentId]));
  const payers = await findPayers(tx, merged);
  if (payers.some(({ erasedAt }) => erasedAt !== null)) await eraseGuests(tx, scope, merged);
}

/** Erases the guests with sales of payments that were merged: whoever paid once is one person. */
async function eraseGuests(tx: Transaction, scope: Scope, merged: readonly PaymentId[]): Promise<void> {
  while (merged.length > 0) {
    const payers = await findPayers(tx, merged);
    // the erasure of one guest may also erase others
    const next = payers.find(({ externalId, erasedAt }) => externalId === null && erasedAt === null);
    const guest = next && (await findCustomerById(tx, scope.accountId, next.id));
    if (!guest) return;
    await readAndErase(tx, scope, guest);
  }
}

/** Erases the personal data of a parked payment that only processors have reported. */
export function eraseReported(tx: Transaction, accountId: AccountId, id: PaymentId): Promise<void> {
  return eraseParked(tx, accountId, id, ({ order }) => order === undefined);
}

/** Erases the personal data of a parked payment, if it is of these, except the ids by which a lead may claim it. */
async function eraseParked(
  tx: Transaction,
  accountId: AccountId,
  id: PaymentId,
  isMeant: (fact: PaymentReceived) => boolean,
): Promise<void> {
  await tx.claim(() => [claimKeys.payment(id)]);
  const current = await findPayment(tx, accountId, id);
  // sold or merged in the meantime, which removed its report
  if (!current?.parked || !isMeant(current.parked.fact)) return;
  const { fact, steps } = current.parked;
  const { order, ...payment } = fact;
  const erased = { ...payment, customer: withoutName(fact.customer) };
  const kept = order === undefined ? erased : { ...erased, order: { ...order, metadata: null } };
  await updateParked(tx, id, { fact: kept, steps: steps.map(withoutAddress) });
  await deleteEmailHints(tx, id);
  const { subscriptionId } = fact.customer;
  if (subscriptionId === null) return;
  // nobody else pays by it, and a name without an address is not found there later
  await eraseIdentityName(tx, accountId, { processor: current.processor, kind: 'subscription', value: subscriptionId });
}

/** True when the person with this external id was erased, so that nothing that identifies them may be stored. */
export function isErased(tx: Transaction, accountId: AccountId, externalId: string): Promise<boolean> {
  return isMarked(tx, accountId, markOf(accountId, 'external', externalId));
}

/** The input of a lead or sale reported through the API, reduced to its ids if the person was erased. */
export async function withoutErasedPerson<Input extends ReportedPerson>(
  tx: Transaction,
  accountId: AccountId,
  input: Input,
): Promise<Input> {
  return (await isErased(tx, accountId, input.customerExternalId)) ? withoutPerson(input) : input;
}

/** The input of a lead or sale reported through the API, without what identifies the person. */
export function withoutPerson<Input extends ReportedPerson>(input: Input): Input {
  return { ...input, customerEmail: null, customerName: null, customerAvatar: null, metadata: null };
}

interface ReportedPerson {
  customerExternalId: string;
  customerEmail: string | null;
  customerName: string | null;
  customerAvatar: string | null;
  metadata: Record<string, unknown> | null;
}

/** The hints without what identifies the person, besides ids. */
export function withoutName({ avatar: _, ...hints }: CustomerHints): CustomerHints {
  return { ...hints, email: null, name: null };
}

function withoutAddress(step: TraceStep): TraceStep {
  return step.step === 'email' ? { ...step, value: null } : step;
}
