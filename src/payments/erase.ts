import { claimKeys } from '../app/claims.ts';
import { markOf } from '../app/person-marks.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { CustomerHints, Fact } from '../core/facts.ts';
import type { AccountId } from '../core/ids.ts';
import { restartEventErasure } from '../events/erase.ts';
import { eraseBodiesOf } from '../inbox/erase-bodies.ts';
import { addMark, isMarked } from '../inbox/marks.ts';
import { eraseVisits } from '../links/erase.ts';
import type { Transaction } from '../storage/database.ts';
import { type PersonRecord, sourcesOf } from './person-record.ts';
import { eraseLeadMetadata, eraseProfile, eraseSaleDetails, restartIdentities } from './queries/erasure.ts';
import { eraseUnassigned } from './queries/identities.ts';
import { deleteEmailHints } from './queries/parked-hints.ts';
import { findPayment, type Payment, updateParked } from './queries/payments.ts';
import type { Scope } from './scope.ts';

/** Call before `readPerson` in a unit that changes what it reads, so that nothing is added in the meantime. */
export function claimPerson(tx: Transaction, accountId: AccountId, externalId: string): Promise<void> {
  return tx.claim(() => [claimKeys.external(accountId, externalId)]);
}

/**
 * Erases what is known about a person, and stores keyed hashes so that it cannot come back. Ids, amounts and ledger
 * entries stay.
 */
export async function erasePerson(tx: Transaction, { accountId, now }: Scope, person: PersonRecord): Promise<void> {
  const { externalId, customer, sales, parked, emails } = person;
  const { clickIds, deliveryIds } = await sourcesOf(tx, person);
  await eraseVisits(tx, accountId, clickIds);
  await eraseBodiesOf(tx, accountId, deliveryIds);
  if (externalId !== null) {
    await addMark(tx, accountId, markOf(accountId, 'external', externalId), now);
    await eraseUnassigned(tx, accountId, externalId);
  }
  for (const email of emails) await addMark(tx, accountId, markOf(accountId, 'email', email), now);
  if (customer !== null) {
    await eraseProfile(tx, customer.id, now);
    await eraseLeadMetadata(tx, customer.id);
  }
  for (const { id, steps } of sales) await eraseSaleDetails(tx, accountId, id, steps.map(withoutAddress));
  for (const payment of parked) await eraseParked(tx, accountId, payment);
  await restartIdentities(tx, accountId);
  await restartEventErasure(tx, accountId);
}

/** Erases the personal data of a parked payment, except the ids by which a lead may claim it. */
async function eraseParked(tx: Transaction, accountId: AccountId, { id }: Payment): Promise<void> {
  await tx.claim(() => [claimKeys.payment(id)]);
  const current = await findPayment(tx, accountId, id);
  // sold or merged in the meantime, which removed its report
  if (!current?.parked) return;
  const { fact, steps } = current.parked;
  const { order, ...payment } = fact;
  const erased = { ...payment, customer: withoutName(fact.customer) };
  const kept = order === undefined ? erased : { ...erased, order: { ...order, metadata: null } };
  await updateParked(tx, id, { fact: kept, steps: steps.map(withoutAddress) });
  await deleteEmailHints(tx, id);
}

/**
 * Removes what identifies erased persons from facts that name them by external id. Their ids stay, because they
 * attribute the payment.
 */
export async function withoutErased(
  tx: Transaction,
  accountId: AccountId,
  facts: readonly Fact[],
): Promise<readonly Fact[]> {
  const erased = await findErased(tx, accountId, facts);
  if (erased.size === 0) return facts;
  return facts.map((fact) => {
    const hints = hintsOf(fact);
    if (!hints?.externalIds.some(({ value }) => erased.has(value))) return fact;
    return { ...fact, customer: withoutName(hints) } as Fact;
  });
}

/** Prefetches the lookups of `withoutErased`. */
export async function lookAheadToErased(tx: Transaction, accountId: AccountId, facts: readonly Fact[]): Promise<void> {
  await findErased(tx, accountId, facts);
}

/** The external ids in the facts that belong to erased persons. */
async function findErased(tx: Transaction, accountId: AccountId, facts: readonly Fact[]): Promise<Set<string>> {
  const externalIds = new Set(facts.flatMap((fact) => hintsOf(fact)?.externalIds.map(({ value }) => value) ?? []));
  const erased = new Set<string>();
  const mark = async (externalId: string) => {
    if (await isErased(tx, accountId, externalId)) erased.add(externalId);
  };
  await Promise.all([...externalIds].map(mark));
  return erased;
}

/** True when the person with this external id was erased, so that nothing that identifies them may be stored. */
function isErased(tx: Transaction, accountId: AccountId, externalId: string): Promise<boolean> {
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

function hintsOf(fact: Fact): CustomerHints | undefined {
  return 'customer' in fact ? fact.customer : undefined;
}

function withoutName({ avatar: _, ...hints }: CustomerHints): CustomerHints {
  return { ...hints, email: null, name: null };
}

function withoutAddress(step: TraceStep): TraceStep {
  return step.step === 'email' ? { ...step, value: null } : step;
}
