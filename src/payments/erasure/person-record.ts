import { markOf } from '../../app/person-marks.ts';
import type { AccountId, CustomerId, PaymentId } from '../../core/ids.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { isMarked } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomer, findCustomerById, findCustomersByAddress } from '../queries/customers.ts';
import { findSalesOf, lastPlace, type SaleOfPerson, type SalePlace } from '../queries/erasure.ts';
import { findUnassigned, findUnassignedParked, type NamedIdentity } from '../queries/identities.ts';
import { findLeadsOf, type LeadOfPerson } from '../queries/leads-of-person.ts';
import type { Payment } from '../queries/payments.ts';
import {
  findNaming,
  findParkedOf,
  isPaidBy,
  type ManyParked,
  nameOfOwner,
  nameOfPerson,
  namesOfIdentities,
} from './parked-of-person.ts';

const CUSTOMERS_NAMED_MAX = 10;
/** Few enough that erasing them holds up other requests for milliseconds only. */
export const ROWS_PER_UNIT = 50;
/** For a disclosure. One less than the database can count, because one more is asked for. */
export const ALL_ROWS = Number.MAX_SAFE_INTEGER - 1;

const NOBODY = { customer: null, leads: [], sales: [], rest: null, parked: [], many: [] };

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
  /** Identifiers under which more payments are parked than were read; these are not among `parked`. */
  many: ManyParked[];
  /** The distinct addresses in these rows, and the external id if it is one, in lower case. */
  emails: string[];
}

/**
 * Reads what is stored about the person with this external id.
 *
 * @param rowsMax as for `readNamed`
 * @throws ServiceError `NOT_FOUND` when nothing in the account names it
 */
export async function readPerson(
  tx: Transaction,
  accountId: AccountId,
  externalId: string,
  rowsMax = ROWS_PER_UNIT,
): Promise<PersonRecord> {
  const person = await findPerson(tx, accountId, externalId, rowsMax);
  if (person === undefined) throw notFound('customer', externalId);
  return person;
}

/**
 * Reads what is stored about a person who is named by external id or, because not everybody has one, by our id of a
 * customer or by the e-mail address of somebody who is no customer. Any address is accepted; see `requireNamed`.
 *
 * @param rowsMax how many sales to read, and parked payments under each identifier; see `eraseRest` for the others
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` for the address of customers
 */
export async function readNamed(
  tx: Transaction,
  accountId: AccountId,
  named: string,
  rowsMax = ROWS_PER_UNIT,
): Promise<PersonRecord> {
  const person = await findPerson(tx, accountId, named, rowsMax);
  if (person !== undefined) return person;
  const customer = await findCustomerById(tx, accountId, named as CustomerId);
  if (customer !== undefined) return readCustomer(tx, accountId, customer, rowsMax);
  if (!named.includes('@')) throw notFound('customer', named);
  const address = named.trim().toLowerCase();
  const customers = await findCustomersByAddress(tx, accountId, address, CUSTOMERS_NAMED_MAX);
  if (customers.length === 0) {
    return {
      externalId: null,
      ...(await recordOf(tx, accountId, { ...NOBODY, addresses: [address] }, rowsMax)),
    };
  }
  const ids = customers.map(({ id, externalId }) => externalId ?? id).join(', ');
  throw new ServiceError('INVALID_STATE', `${address} is the address of customers; name each by id: ${ids}`);
}

async function findPerson(
  tx: Transaction,
  accountId: AccountId,
  externalId: string,
  rowsMax: number,
): Promise<PersonRecord | undefined> {
  const naming = (names: readonly ManyParked[]) => findNaming(tx, accountId, names, rowsMax);
  const [customer = null, identities, named] = await Promise.all([
    findCustomer(tx, accountId, externalId),
    findUnassigned(tx, accountId, externalId),
    naming([nameOfPerson(externalId)]),
  ]);
  const parkedUnder = identities.length === 0 ? [] : await findUnassignedParked(tx, accountId, externalId);
  const [own, owned, identified] = await Promise.all([
    findOwn(tx, customer, rowsMax),
    naming(customer === null ? [] : [nameOfOwner(customer.id, externalId)]),
    // a payment that has only a processor's id would be attributed to whoever was reported under it
    naming(namesOfIdentities(parkedUnder, externalId)),
  ]);
  const indexed = new Set([...named.ids, ...owned.ids]);
  const found = await findParkedOf(tx, accountId, [...new Set([...indexed, ...identified.ids])]);
  const parked = found.filter((payment) => isPaidBy(externalId, identities, indexed.has(payment.id), payment));
  const many = [...named.many, ...owned.many, ...identified.many];
  const isNamed = identities.length + parked.length + many.length > 0;
  const isKnown =
    customer !== null || isNamed || (await isMarked(tx, accountId, markOf(accountId, 'external', externalId)));
  if (!isKnown) return undefined;
  const addresses = identities.map(({ email }) => email);
  // some callers' ids are addresses, under which processors report what names no id
  if (externalId.includes('@')) addresses.push(externalId.trim());
  return { externalId, ...(await recordOf(tx, accountId, { ...own, parked, many, addresses }, rowsMax)), identities };
}

/** Reads what is stored about a customer, with or without an external id. `rowsMax` as for `readNamed`. */
export async function readCustomer(
  tx: Transaction,
  accountId: AccountId,
  customer: CustomerRow,
  rowsMax = ROWS_PER_UNIT,
): Promise<PersonRecord> {
  const { externalId } = customer;
  if (externalId !== null) return readPerson(tx, accountId, externalId, rowsMax);
  const own = await findOwn(tx, customer, rowsMax);
  // a guest is named by our id, which no payment contains
  const { ids, many } = await findNaming(tx, accountId, [nameOfOwner(customer.id, customer.id)], rowsMax);
  const found = await findParkedOf(tx, accountId, ids);
  const parked = found.filter((payment) => isPaidBy(customer.id, [], true, payment));
  return { externalId, ...(await recordOf(tx, accountId, { ...own, parked, many, addresses: [] }, rowsMax)) };
}

/** What is left of an erased person: sales or parked payments, with the addresses in them. */
export function recordOfRest({ sales = [], rest = null, parked = [] }: Partial<PersonRecord>): PersonRecord {
  const emails = distinct([...addressesOf(sales), ...parked.map(addressOf)]);
  return { ...NOBODY, externalId: null, identities: [], sales, rest, parked, emails };
}

function addressOf({ parked }: Payment): string | undefined {
  return parked?.fact.customer.email?.toLowerCase();
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
  { parked: named, many, addresses, ...own }: FoundPerson,
  rowsMax: number,
): Promise<Omit<PersonRecord, 'externalId'>> {
  const reported = named.map((payment) => payment.parked?.fact.customer.email);
  const emails = [own.customer?.email, ...addresses, ...reported, ...addressesOf(own.sales)];
  const distinctEmails = distinct(emails.map((email) => email?.toLowerCase()));
  const names = distinctEmails.map((value) => ({ hint: { kind: 'email' as const, value }, externalId: '' }));
  const addressed = await findNaming(tx, accountId, names, rowsMax);
  const known = new Set(named.map(({ id }) => id));
  const further = [...new Set(addressed.ids)].filter((id) => !known.has(id));
  const parked = [...named, ...(await findParkedOf(tx, accountId, further))];
  return {
    ...own,
    many: [...many, ...addressed.many],
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

async function findOwn(tx: Transaction, customer: CustomerRow | null, rowsMax: number): Promise<FoundOwn> {
  if (customer === null) return NOBODY;
  const [leads, found] = await Promise.all([
    findLeadsOf(tx, customer.id, { withMetadata: rowsMax === ALL_ROWS }),
    findSalesOf(tx, lastPlace(customer.id), rowsMax),
  ]);
  return { customer, leads, ...found };
}

interface FoundPerson extends FoundOwn {
  /** The payments that wait for this person by external id. */
  parked: Payment[];
  many: ManyParked[];
  addresses: readonly (string | null)[];
}

/** Each value once, without null. */
export function distinct<Value extends string>(values: readonly (Value | null | undefined)[]): Value[] {
  return [...new Set(values.filter((value) => value != null))];
}
