import { claimKeys } from '../../app/claims.ts';
import { markOf, markOfProcessorId } from '../../app/person-marks.ts';
import { extendScan, restartScan } from '../../app/scans.ts';
import { writeEach } from '../../app/write-each.ts';
import type { TraceStep } from '../../core/attribution.ts';
import type { CustomerHints, PaymentReceived } from '../../core/facts.ts';
import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import { restartEventErasure } from '../../events/erase.ts';
import { eraseBodiesOf } from '../../inbox/erase-bodies.ts';
import { addMark, isMarked } from '../../inbox/marks.ts';
import { eraseVisits } from '../../links/erase.ts';
import type { ClaimKey, Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomerById, findErasedCustomer, isCustomersAddress } from '../queries/customers.ts';
import {
  ERASURE_JOB,
  eraseLeadMetadata,
  eraseProfile,
  eraseSaleDetails,
  FIRST_PLACE,
  findPayersOfMerged,
} from '../queries/erasure.ts';
import { eraseUnassigned } from '../queries/identities.ts';
import { deleteEmailHints } from '../queries/parked-hints.ts';
import { findPayment, updateParked } from '../queries/payments.ts';
import type { Scope } from '../scope.ts';
import { distinct, type PersonRecord, readCustomer, readPerson } from './person-record.ts';
import { sourcesOf } from './person-sources.ts';

/**
 * Call before `readPerson` in a unit that changes what it reads, so that nothing is added in the meantime. All keys are
 * claimed at once, because deliveries claim a person's ids and address at once, too.
 *
 * @throws ServiceError `NOT_FOUND` when nothing in the account names the person
 */
export async function claimPerson(tx: Transaction, accountId: AccountId, externalId: string): Promise<void> {
  const person = await readPerson(tx, accountId, externalId);
  await tx.claim(() => keysOfPerson(accountId, person));
}

/** The keys to claim for a person who was read, and is to be read again then. See `claimPerson`. */
export function keysOfPerson(
  accountId: AccountId,
  { externalId, customer, identities, emails, sales }: PersonRecord,
): ClaimKey[] {
  const clickId = externalId === null ? customer?.clickId : null;
  return [
    ...(externalId === null ? [] : [claimKeys.external(accountId, externalId)]),
    ...(clickId == null ? [] : [claimKeys.click(accountId, clickId)]),
    ...identities.map(({ processor, value }) => claimKeys.identity(accountId, processor, value)),
    ...emails.map((email) => claimKeys.email(accountId, email)),
    ...keysOfSales(sales),
  ];
}

/** A review or a further report of a sale rewrites how it was attributed, with what it has read before. */
export function keysOfSales(sales: PersonRecord['sales']): ClaimKey[] {
  return sales.map(({ paymentId }) => claimKeys.payment(paymentId));
}

/** Reads an erased customer, or a guest, once nobody else changes their sales. */
async function readClaimed(tx: Transaction, accountId: AccountId, customer: CustomerRow): Promise<PersonRecord> {
  const { sales } = await readCustomer(tx, accountId, customer);
  await tx.claim(() => keysOfSales(sales));
  return readCustomer(tx, accountId, customer);
}

/**
 * Erases what is known about a person, and stores keyed hashes so that it cannot come back. Ids, amounts and ledger
 * entries stay. Also erases the guests who have other sales of the person's payments, and schedules the erasure of the sales
 * that were not read (`erase-sales.ts`).
 */
export async function erasePerson(tx: Transaction, scope: Scope, person: PersonRecord): Promise<void> {
  const { accountId, now } = scope;
  const { externalId, customer, identities, sales, rest, parked, emails } = person;
  const { clickIds, paymentIds, deliveryIds, isMerged } = await sourcesOf(tx, accountId, person);
  const marks = [
    ...(externalId === null ? [] : [markOf(accountId, 'external', externalId)]),
    ...identities.map((id) => markOfProcessorId(accountId, id)),
    // events from before the person had an id, and of payments without one, may have nothing else in common with them
    ...[...sales.map((sale) => sale.id), ...paymentIds].map((id) => markOf(accountId, 'payment', id)),
    ...emails.map((email) => markOf(accountId, 'email', email)),
  ];
  // together, because every other erasure waits meanwhile; the scans first, because they lock their own rows first, too
  await Promise.all([
    rest !== null && extendScan(tx, 'erase sales', accountId, `${JSON.stringify(rest)}\n`),
    restartScan(tx, ERASURE_JOB, accountId, JSON.stringify(FIRST_PLACE)),
    restartEventErasure(tx, accountId),
    eraseBodiesOf(tx, accountId, deliveryIds),
    eraseVisits(tx, accountId, clickIds),
    writeEach(marks, (mark) => addMark(tx, accountId, mark, now)),
    externalId !== null && eraseUnassigned(tx, accountId, externalId),
    customer !== null && eraseProfile(tx, customer.id, now),
    customer !== null && eraseLeadMetadata(tx, customer.id),
    writeEach(sales, ({ id, steps }) => eraseSaleDetails(tx, accountId, id, steps.map(withoutAddress))),
  ]);
  for (const { id } of parked) await eraseParked(tx, accountId, id, () => true);
  const paidIds = sales.map(({ paymentId }) => paymentId);
  if (isMerged) await eraseGuests(tx, scope, paidIds);
}

/**
 * Erases an erased customer again after payments that were reported without them have turned out to be theirs: until then,
 * nobody knew whom their reports name. Call it once for all of them, because it erases every sale of the customer.
 *
 * @param addresses of the payers in these reports
 */
export async function eraseWithPayments(
  tx: Transaction,
  scope: Scope,
  customerId: CustomerId,
  addresses: readonly (string | null)[],
): Promise<void> {
  const erased = await findErasedCustomer(tx, customerId);
  if (erased === undefined) return;
  const person = await readClaimed(tx, scope.accountId, erased);
  const emails = new Set(person.emails);
  for (const address of distinct(addresses.map((each) => each?.toLowerCase()))) {
    // somebody else may have paid for them
    if (!(await isCustomersAddress(tx, scope.accountId, address))) emails.add(address);
  }
  await erasePerson(tx, scope, { ...person, emails: [...emails] });
}

/** Erases the guests with sales of a payment of which an erased customer has a sale, too. */
export async function eraseGuestsOfErased(tx: Transaction, scope: Scope, paymentId: PaymentId): Promise<void> {
  const payers = await findPayersOfMerged(tx, [paymentId]);
  if (payers.some(({ erasedAt }) => erasedAt !== null)) await eraseGuests(tx, scope, [paymentId]);
}

/** Erases the guests with sales of these payments, or of those that were merged with them: whoever paid once is one person. */
async function eraseGuests(tx: Transaction, scope: Scope, paymentIds: readonly PaymentId[]): Promise<void> {
  for (;;) {
    const payers = await findPayersOfMerged(tx, paymentIds);
    // the erasure of one guest may also erase others
    const next = payers.find(({ externalId, erasedAt }) => externalId === null && erasedAt === null);
    const guest = next && (await findCustomerById(tx, scope.accountId, next.id));
    if (!guest) return;
    await erasePerson(tx, scope, await readClaimed(tx, scope.accountId, guest));
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
