import { claimKeys, claimsOfCustomer } from '../app/claims.ts';
import {
  addReported,
  type Candidate,
  candidatesFor,
  stepMatched,
  stepNotFound,
  stepOfOtherProgram,
  type TraceStep,
} from '../core/attribution.ts';
import type { CustomerHints, PaymentReceived } from '../core/facts.ts';
import { identityKeysOf } from '../core/identity.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { isErased, withoutName } from './erasure/erase.ts';
import { findPayerByClick } from './identity/click-owner.ts';
import { reportedProfileOf } from './identity/reported-profile.ts';
import { findProcessorIdentities, type StoredIdentity } from './queries/identities.ts';
import {
  findOwnerByClick,
  findOwnerByCustomer,
  findOwnerByDiscountCode,
  findOwnerByEmail,
  findOwnerByEmailInProgram,
  findOwnerByExternalId,
  findOwnerOfNamedPayer,
  type Owner,
} from './queries/owners.ts';
import type { Match } from './record-sale.ts';
import type { ProcessorScope } from './scope.ts';

export interface PayersMatch extends Match {
  /** What is known about who paid. */
  payer: CustomerHints;
}

/** Who earned a payment (or null), and everything that was tried. */
export interface Attribution {
  match: PayersMatch | null;
  steps: TraceStep[];
  /** The identities stored for the processor's ids in the payment; null when they were not looked up. */
  identities: StoredIdentity[] | null;
  /** The address that the processor reported for these ids, if the payment has none and it was looked up; otherwise null. */
  reportedEmail: string | null;
}

/**
 * Finds the partner of a payment that arrived by webhook. The first value decides that leads to a partner of a program that
 * may earn the payment. A value that matches nothing never stops the search. Claims what it looks for: until then, only
 * what an earlier report of the payment named is unclaimed.
 */
export async function attribute(
  tx: Transaction,
  scope: ProcessorScope,
  { customer, discountCodes, onlyPrograms }: PaymentReceived,
): Promise<Attribution> {
  const { accountId, processor } = scope;
  const steps: TraceStep[] = [];
  const keys = identityKeysOf(customer);
  await tx.claim(() => claimsOfCustomer(accountId, processor, { ...customer, email: null }));
  let identities: StoredIdentity[] | null = null;
  let reportedEmail: string | null = null;
  const lookUp = async () => (keys.length === 0 ? [] : findProcessorIdentities(tx, scope, keys));
  const candidates = candidatesFor(customer, discountCodes);
  for (const candidate of candidates) {
    if (candidate.step === 'processor_customer' && identities === null) {
      identities = await lookUp();
      reportedEmail = await findReportedEmail(tx, accountId, customer, identities);
      addReported(candidates, identities, reportedEmail);
    }
    // not before, because units of different customers with one address would wait for each other
    if (candidate.step === 'email') await tx.claim(() => [claimKeys.email(accountId, candidate.value)]);
    const payer = await payerBy(tx, accountId, candidate, { customer, identities });
    const find = () => findOwner(tx, scope, candidate, { customer: payer, identities, onlyPrograms });
    let owner = await find();
    if (owner?.customerId && isOfOther(owner, onlyPrograms)) {
      const { customerId } = owner;
      // an import may move the customer at this moment
      await tx.claim(() => [claimKeys.customer(customerId)]);
      owner = await find();
    }
    if (owner && isOfOther(owner, onlyPrograms)) {
      steps.push(stepOfOtherProgram(candidate, describeOwner(owner)));
      continue;
    }
    if (owner) {
      steps.push(stepMatched(candidate, describeOwner(owner)));
      // the sale assigns them to its customer
      identities ??= await lookUp();
      return { match: { owner, matchedBy: candidate.step, steps, payer }, steps, identities, reportedEmail };
    }
    steps.push(stepNotFound(candidate));
  }
  return { match: null, steps, identities, reportedEmail };
}

/** As `payerOf`; the look-up of a subscription does not ask whom the processor's customer was named for. */
async function payerBy(
  tx: Transaction,
  accountId: AccountId,
  candidate: Candidate,
  { customer, identities }: Pick<Search, 'customer' | 'identities'>,
): Promise<CustomerHints> {
  const isOfSubscription = candidate.step === 'processor_customer' && candidate.kind === 'subscription';
  const known = (identities ?? []).filter(({ kind }) => kind === 'subscription' || !isOfSubscription);
  return payerOf(tx, accountId, customer, known);
}

/**
 * Who paid: whom the payment names; otherwise, whom an earlier report named for its subscription, or for the processor's
 * customer. The click in such a report may have brought another customer before, and a discount code names nobody.
 */
export async function payerOf(
  tx: Transaction,
  accountId: AccountId,
  customer: CustomerHints,
  identities: readonly StoredIdentity[],
): Promise<CustomerHints> {
  if (customer.externalIds.length > 0) return customer;
  const stored = ['subscription', 'customer'].map((kind) => identities.find((identity) => identity.kind === kind));
  const externalId = stored.find((identity) => identity?.externalId && identity.customerId === null)?.externalId;
  if (!externalId) return customer;
  await tx.claim(() => [claimKeys.external(accountId, externalId)]);
  const named = { ...customer, externalIds: [{ value: externalId, place: 'an earlier report' }] };
  return (await isErased(tx, accountId, externalId)) ? withoutName(named) : named;
}

async function findReportedEmail(
  tx: Transaction,
  accountId: AccountId,
  customer: CustomerHints,
  identities: readonly StoredIdentity[],
): Promise<string | null> {
  if (customer.email !== null) return null;
  const { email } = await reportedProfileOf(tx, accountId, customer, identities);
  if (email !== null) await tx.claim(() => [claimKeys.email(accountId, email)]);
  return email;
}

/** Prefetches what `attribute` needs for a known customer who pays again. */
export async function lookAheadToOwner(
  tx: Transaction,
  scope: ProcessorScope,
  { customer, discountCodes, onlyPrograms }: PaymentReceived,
): Promise<void> {
  const [first] = candidatesFor(customer, discountCodes);
  const keys = identityKeysOf(customer);
  await Promise.all([
    keys.length > 0 ? findProcessorIdentities(tx, scope, keys) : null,
    first === undefined ? null : lookAheadTo(tx, scope, first, { customer, identities: null, onlyPrograms }),
  ]);
}

/** The first query of the look-up. */
function lookAheadTo(tx: Transaction, scope: ProcessorScope, first: Candidate, search: Search) {
  if (first.step === 'processor_customer') return null;
  if (first.step === 'metadata_click_id') return findOwnerByClick(tx, scope.accountId, first.value);
  return findOwner(tx, scope, first, search);
}

type Programs = PaymentReceived['onlyPrograms'];

function isOfOther({ programId }: Owner, onlyPrograms: Programs): boolean {
  return onlyPrograms !== undefined && !onlyPrograms.includes(programId);
}

interface Search {
  /** What the payment says about its customer. */
  customer: CustomerHints;
  /** Null when not looked up. */
  identities: readonly StoredIdentity[] | null;
  onlyPrograms: Programs;
}

async function findOwner(
  tx: Transaction,
  scope: ProcessorScope,
  candidate: Candidate,
  { customer, identities, onlyPrograms }: Search,
): Promise<Owner | undefined> {
  const { accountId } = scope;
  switch (candidate.step) {
    case 'external_id': {
      const { processorCustomerId } = customer;
      if (processorCustomerId === null) return findOwnerByExternalId(tx, accountId, candidate.value);
      return findOwnerOfNamedPayer(tx, scope, { externalId: candidate.value, processorCustomerId });
    }
    case 'metadata_click_id':
      return findPayerByClick(tx, accountId, candidate.value, customer);
    case 'processor_customer': {
      const identity = identities?.find(({ kind }) => kind === candidate.kind);
      return identity && findOwnerByIdentity(tx, accountId, identity, customer);
    }
    case 'discount_code':
      return findOwnerByDiscountCode(tx, accountId, candidate.value);
    case 'email':
      return findOwnerByEmailIn(tx, accountId, candidate.value, onlyPrograms);
  }
}

/**
 * The owner that an earlier delivery linked to the id; otherwise the owner of the external id or click that came with
 * the id.
 */
async function findOwnerByIdentity(
  tx: Transaction,
  accountId: AccountId,
  { customerId, externalId, clickId }: StoredIdentity,
  customer: CustomerHints,
): Promise<Owner | undefined> {
  if (customerId !== null) return findOwnerByCustomer(tx, accountId, customerId);
  if (externalId !== null) {
    await tx.claim(() => [claimKeys.external(accountId, externalId)]);
    const owner = await findOwnerByExternalId(tx, accountId, externalId);
    if (owner) return owner;
  }
  if (clickId === null) return undefined;
  await tx.claim(() => [claimKeys.click(accountId, clickId)]);
  return findPayerByClick(tx, accountId, clickId, customer);
}

/** The first customer with the address in any of the programs, in their order; undefined programs: in all of them. */
async function findOwnerByEmailIn(
  tx: Transaction,
  accountId: AccountId,
  email: string,
  programs: Programs,
): Promise<Owner | undefined> {
  if (programs === undefined) return findOwnerByEmail(tx, accountId, email);
  for (const programId of programs) {
    const owner = await findOwnerByEmailInProgram(tx, accountId, email, programId);
    if (owner) return owner;
  }
  return undefined;
}

function describeOwner(owner: Owner): string {
  const customer = owner.externalId === null ? '' : `customer ${owner.externalId}, `;
  const link = owner.linkId === null ? '' : `, link ${owner.linkId}`;
  return `${customer}partner ${owner.partnerId}${link}`;
}
