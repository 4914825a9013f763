import { type Named, namesOf } from '../../payments/imports/imported-payment.ts';
import type { MovedCommission, MovedFact, MovedPartner, MovedPerson, MovedStatus } from './facts.ts';

/** What two records of one import may both be about. Records without a name in common do not change each other's result. */
export const names = {
  /** The account's unused program is no longer free after one. */
  anyProgram: 'any program',
  /** They tell whether the account has a single program, for records that name none. */
  newPrograms: 'new programs',
  program: (id: string) => `program ${id}`,
  programNamed: (name: string) => `program named ${name.trim().toLowerCase()}`,
  partner: (id: string) => `partner ${id}`,
  address: (email: string) => `address ${email.trim().toLowerCase()}`,
  tenant: (id: string) => `tenant ${id.trim()}`,
  code: (code: string) => `code ${code.trim().toLowerCase()}`,
  /** A partner has a limited number of them. */
  codesOf: (partner: string) => `codes ${partner}`,
  link: (key: string) => `link ${key}`,
  /** One that a new partner may get, if their program has first links. */
  firstLink: (key: string) => `first ${key}`,
  firstLinkIn: (key: string, programId: string | null) => `first of ${programId ?? ''} ${key}`,
  commission: (id: string, status: MovedStatus) => `commission ${status} ${id}`,
  /** One that commissions name. */
  payout: ({ id, currency }: { id: string; currency: string }) => `payout ${currency} ${id}`,
  /** One that the service lists, or a row of a file. */
  listedPayout: ({ id, currency }: { id: string; currency: string }) => `listed ${currency} ${id}`,
  /** Payouts of one commission each, which names no payout. */
  singles: (partnerId: string, currency: string) => `singles ${currency} ${partnerId}`,
  /** A partner or a sale here. */
  known: (id: string) => `known ${id}`,
  customer: (externalId: string) => `customer ${externalId}`,
  /** A person at a processor. */
  identity: (processor: string, id: string) => `identity ${processor} ${id}`,
  /** A person, by one of their names, who may have paid what is parked here. */
  payer: (person: string) => `payer ${person}`,
} as const;

export function namesOfPartner({ email, tenantId, discountCodes = [] }: MovedPartner): string[] {
  return [
    names.address(email),
    ...(tenantId === null ? [] : [names.tenant(tenantId)]),
    ...discountCodes.map((code) => names.code(code)),
  ];
}

export function namesOfPerson({ externalId, atProcessor }: MovedPerson): string[] {
  const customer = names.customer(externalId);
  return atProcessor === null ? [customer] : [customer, names.identity(atProcessor.processor, atProcessor.customerId)];
}

export function namesOfPayment({ payment }: MovedCommission): string[] {
  return namesOf(payment).map((name) => `payment ${name}`);
}

/**
 * Who may have paid what a payment names here: once one of them is known, all parked payments of theirs are attributed.
 * Addresses are left out.
 */
export function namesOfPayers({ hints }: Named): string[] {
  return hints.flatMap(({ kind, value }) => {
    if (kind === 'external') return [names.customer(value)];
    const [processor = '', ...rest] = value.split(':');
    return kind === 'customer' || kind === 'subscription' ? [names.identity(processor, rest.join(':'))] : [];
  });
}

/** What identifies a customer, or a commission and its payment; null for any other record. */
export function marksOf(fact: MovedFact): string[] | null {
  if (fact.kind === 'customer') return namesOfPerson(fact);
  return fact.kind === 'commission' ? [`commission ${fact.id}`, ...namesOfPayment(fact)] : null;
}
