import { markOf } from '../../app/person-marks.ts';
import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { isMarked } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomer, findCustomerById, findCustomersByAddress } from '../queries/customers.ts';
import {
  findLeadsOf,
  findSalesOf,
  type LeadOfPerson,
  lastPlace,
  type SaleOfPerson,
  type SalePlace,
} from '../queries/erasure.ts';
import { findByAddress, findUnassigned, type NamedIdentity } from '../queries/identities.ts';
import { findParkedNaming } from '../queries/parked-hints.ts';
import { findPayment, type Payment } from '../queries/payments.ts';

const CUSTOMERS_NAMED_MAX = 10;
/** Few enough that erasing them holds up other requests for milliseconds only. */
export const SALES_PER_UNIT = 50;

const NOBODY = { customer: null, leads: [], sales: [], rest: null, parked: [] };

/** Everything about a person that is stored with payments; lists are oldest first. */
export interface PersonRecord {
  /** Null for a guest, who is known only by a click or a processor's id. */
  externalId: string | null;
  /** Null for a person who is named only by parked payments or processors' ids. */
  customer: CustomerRow | null;
  /** Processors' ids that were reported with the external id and belong to no customer. */
  identities: NamedIdentity[];
  leads: LeadOfPerson[];
  sales: SaleOfPerson[];
  /** Where further sales begin; null without any. */
  rest: SalePlace | null;
  parked: Payment[];
  /** The distinct addresses in these rows, and the external id if it is one, in lower case. */
  emails: string[];
}

/**
 * Reads what is stored about the person with this external id.
 *
 * @throws ServiceError `NOT_FOUND` when nothing in the account names it
 */
export async function readPerson(tx: Transaction, accountId: AccountId, externalId: string): Promise<PersonRecord> {
  const person = await findPerson(tx, accountId, externalId, SALES_PER_UNIT);
  if (person === undefined) throw notFound('customer', externalId);
  return person;
}

/**
 * Reads what is stored about a person who is named by external id or, because not everybody has one, by our id of a
 * customer or by the e-mail address of somebody who is no customer. Any address is accepted; see `requireNamed`.
 *
 * @param salesMax how many sales to read; see `eraseSales` for the others
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for the address of customers
 */
export async function readNamed(
  tx: Transaction,
  accountId: AccountId,
  named: string,
  salesMax = SALES_PER_UNIT,
): Promise<PersonRecord> {
  const person = await findPerson(tx, accountId, named, salesMax);
  if (person !== undefined) return person;
  const customer = await findCustomerById(tx, accountId, named as CustomerId);
  if (customer !== undefined) return readCustomer(tx, accountId, customer, salesMax);
  if (!named.includes('@')) throw notFound('customer', named);
  const address = named.trim().toLowerCase();
  const customers = await findCustomersByAddress(tx, accountId, address, CUSTOMERS_NAMED_MAX);
  if (customers.length === 0) {
    return {
      externalId: null,
      ...(await recordOf(tx, accountId, { ...NOBODY, addresses: [address] })),
    };
  }
  const ids = customers.map(({ id, externalId }) => externalId ?? id).join(', ');
  throw new ServiceError('INVALID_STATE', `${address} is the address of customers; name each by id: ${ids}`);
}

/**
 * As `readNamed`, but refuses an address that nobody has. In a report, because only a scan finds it among processors' ids.
 *
 * @throws ServiceError like `readNamed`
 */
export async function requireNamed(
  tx: Transaction,
  accountId: AccountId,
  named: string,
  salesMax = SALES_PER_UNIT,
): Promise<PersonRecord> {
  const person = await readNamed(tx, accountId, named, salesMax);
  const { externalId, customer, parked, emails } = person;
  if (externalId !== null || customer !== null || parked.length > 0) return person;
  for (const address of emails) {
    if (await isMarked(tx, accountId, markOf(accountId, 'email', address))) return person;
  }
  if ((await findReported(tx, accountId, person)).length > 0) return person;
  throw new ServiceError('NOT_FOUND', `${notFound('customer', named).message}; name a partner by id (ptr_…)`);
}

/**
 * What processors have reported about a person under ids that belong to no customer. In a report, because only a scan
 * finds an address.
 */
export async function findReported(
  tx: Transaction,
  accountId: AccountId,
  { externalId, customer, identities, emails }: PersonRecord,
): Promise<NamedIdentity[]> {
  if (externalId !== null) return identities;
  const found: NamedIdentity[] = [];
  if (customer === null) for (const email of emails) found.push(...(await findByAddress(tx, accountId, email)));
  return found;
}

async function findPerson(
  tx: Transaction,
  accountId: AccountId,
  externalId: string,
  salesMax: number,
): Promise<PersonRecord | undefined> {
  const [customer = null, identities, naming, isErased] = await Promise.all([
    findCustomer(tx, accountId, externalId),
    findUnassigned(tx, accountId, externalId),
    findParkedNaming(tx, accountId, { kind: 'external', value: externalId }),
    isMarked(tx, accountId, markOf(accountId, 'external', externalId)),
  ]);
  // a payment that has only a processor's id would be attributed to whoever was reported under it
  for (const { processor, kind, value } of identities) {
    naming.push(...(await findParkedNaming(tx, accountId, { kind, value: `${processor}:${value}` })));
  }
  const found = await findParkedOf(tx, accountId, [...new Set(naming)]);
  const parked = found.filter((payment) => isPaidBy(externalId, identities, payment));
  if (customer === null && identities.length === 0 && parked.length === 0 && !isErased) return undefined;
  const addresses = identities.map(({ email }) => email);
  // some callers' ids are addresses, under which processors report what names no id
  if (externalId.includes('@')) addresses.push(externalId.trim());
  const own = await findOwn(tx, customer, salesMax);
  return { externalId, ...(await recordOf(tx, accountId, { ...own, parked, addresses })), identities };
}

/** False for a payment that only has the processor's customer in common with the person, and names somebody else. */
function isPaidBy(externalId: string, identities: readonly NamedIdentity[], { parked }: Payment): boolean {
  const { externalIds = [], subscriptionId = null } = parked?.fact.customer ?? {};
  if (externalIds.length > 0) return externalIds.some(({ value }) => value === externalId);
  return subscriptionId === null || identities.some(({ value }) => value === subscriptionId);
}

/** Reads what is stored about a customer, with or without an external id. `salesMax` as for `readNamed`. */
export async function readCustomer(
  tx: Transaction,
  accountId: AccountId,
  customer: CustomerRow,
  salesMax = SALES_PER_UNIT,
): Promise<PersonRecord> {
  const { externalId } = customer;
  if (externalId !== null) return readPerson(tx, accountId, externalId);
  const own = await findOwn(tx, customer, salesMax);
  return { externalId, ...(await recordOf(tx, accountId, { ...NOBODY, ...own, addresses: [] })) };
}

/** Sales, with the addresses by which they were attributed, of somebody of whom nothing else is to be erased. */
export function recordOfSales({ sales, rest }: Pick<PersonRecord, 'sales' | 'rest'>): PersonRecord {
  return { ...NOBODY, externalId: null, identities: [], sales, rest, emails: addressesOf(sales) };
}

/**
 * Reads what is stored about the payer of these payments, with the addresses that a processor reported for the payer's ids.
 * Leaves out payments that do not wait to be attributed, and those that have only an address in common with these.
 */
export async function readPayer(
  tx: Transaction,
  accountId: AccountId,
  paymentIds: readonly PaymentId[],
  reported: readonly { email: string | null }[],
): Promise<PersonRecord> {
  const parked = await findParkedOf(tx, accountId, [...new Set(paymentIds)]);
  const addresses = [...reported, ...parked.map((payment) => payment.parked?.fact.customer)];
  const emails = distinct(addresses.map((address) => address?.email?.toLowerCase()));
  return { ...NOBODY, externalId: null, identities: [], parked, emails };
}

async function recordOf(
  tx: Transaction,
  accountId: AccountId,
  { parked: named, addresses, ...own }: FoundPerson,
): Promise<Omit<PersonRecord, 'externalId'>> {
  const reported = named.map((payment) => payment.parked?.fact.customer.email);
  const emails = [own.customer?.email, ...addresses, ...reported, ...addressesOf(own.sales)];
  const distinctEmails = distinct(emails.map((email) => email?.toLowerCase()));
  const parked = [...named];
  for (const value of distinctEmails) {
    const ids = await findParkedNaming(tx, accountId, { kind: 'email', value });
    const known = new Set(parked.map(({ id }) => id));
    const further = ids.filter((id) => !known.has(id));
    parked.push(...(await findParkedOf(tx, accountId, further)));
  }
  return {
    ...own,
    identities: [],
    parked: parked.sort((a, b) => (a.id < b.id ? -1 : 1)),
    emails: distinctEmails,
  };
}

/** The distinct addresses, in lower case, by which sales were attributed. */
function addressesOf(sales: readonly SaleOfPerson[]): string[] {
  const steps = sales.flatMap((sale) => sale.steps);
  return distinct(steps.map(({ step, value }) => (step === 'email' ? value?.toLowerCase() : null)));
}

type FoundOwn = Pick<PersonRecord, 'customer' | 'leads' | 'sales' | 'rest'>;

async function findOwn(tx: Transaction, customer: CustomerRow | null, salesMax: number): Promise<FoundOwn> {
  if (customer === null) return NOBODY;
  const [leads, found] = await Promise.all([
    findLeadsOf(tx, customer.id),
    findSalesOf(tx, lastPlace(customer.id), salesMax),
  ]);
  return { customer, leads, ...found };
}

interface FoundPerson extends FoundOwn {
  /** The payments that wait for this person by external id. */
  parked: Payment[];
  addresses: readonly (string | null)[];
}

async function findParkedOf(
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

/** Each value once, without null. */
export function distinct<Value extends string>(values: readonly (Value | null | undefined)[]): Value[] {
  return [...new Set(values.filter((value) => value != null))];
}
