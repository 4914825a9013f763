import type { IdentityKey } from '../core/identity.ts';
import type { PaymentId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type FoundPayment,
  findFirstByEmail,
  findFirstByIdentities,
  findFirstOfNew,
  findParkedPart,
  findUnassignedHints,
  type Matching,
  type NewPerson,
  VALUES_PER_PART,
} from './queries/parked-for.ts';
import type { ParkedHint } from './queries/parked-hints.ts';

/** A parked payment that an identifier matches, and when it was made. */
export interface ParkedFor {
  id: PaymentId;
  occurredAt: number;
}

/** Most people have fewer, which one statement finds. Those of others are read in parts: see `docs/adr/0015`. */
const FOUND_AT_ONCE = 100;
const ROWS_PER_PART = 500;

function stillParked(found: readonly FoundPayment[]): ParkedFor[] {
  return found.flatMap(({ id, occurredAt }) => (occurredAt === null ? [] : [{ id, occurredAt }]));
}

/**
 * The parked payments with this lower-case e-mail address, in any order; none when no program of the account has e-mail
 * matching.
 */
export async function findParkedByEmail(tx: Transaction, matching: Matching, email: string): Promise<ParkedFor[]> {
  const found = await findFirstByEmail(tx, matching, email, FOUND_AT_ONCE);
  return found.length < FOUND_AT_ONCE
    ? stillParked(found)
    : findAllUnder(tx, matching, [{ kind: 'email', value: email }]);
}

/** A processor's ids of a customer. */
export interface ProcessorKeys {
  processor: PaymentProcessor;
  keys: readonly IdentityKey[];
}

/** The parked payments with one of a processor's ids, in any order. A payment with both ids appears twice. */
export async function findParkedByIdentities(
  tx: Transaction,
  matching: Matching,
  { processor, keys }: ProcessorKeys,
): Promise<ParkedFor[]> {
  const hints = keys.map(({ kind, value }) => ({ kind, value: `${processor}:${value}` }));
  const idOf = (kind: IdentityKey['kind']) => hints.find((hint) => hint.kind === kind)?.value ?? null;
  const ids = { customer: idOf('customer'), subscription: idOf('subscription') };
  const found = await findFirstByIdentities(tx, matching, ids, FOUND_AT_ONCE);
  return found.length < FOUND_AT_ONCE ? stillParked(found) : findAllUnder(tx, matching, hints);
}

/** What is known about a customer who is new to the account. */
export interface KnownOfNew {
  /** Payments that were parked for the customer, in any order, possibly with duplicates. */
  payments: ParkedFor[];
  /** True when processors have reported ids of the customer that can now be assigned. */
  isIdentified: boolean;
}

/**
 * Finds payments that match any of these: the external id; a processor's id that came with it and is not assigned to a
 * customer yet, or that belongs to this one; the e-mail address, if there is one.
 */
export async function findKnownOfNew(tx: Transaction, matching: Matching, person: NewPerson): Promise<KnownOfNew> {
  const { found, unassignedCount } = await findFirstOfNew(tx, matching, person, FOUND_AT_ONCE);
  const isIdentified = unassignedCount > 0;
  if (Math.max(found.length, unassignedCount) < FOUND_AT_ONCE) return { payments: stillParked(found), isIdentified };
  const { customerId, externalId, email } = person;
  const payments = await findAllUnder(tx, matching, [
    { kind: 'external', value: externalId },
    ...(customerId === null ? [] : [{ kind: 'owner', value: customerId } as const]),
    ...(email === null ? [] : [{ kind: 'email', value: email } as const]),
    ...(await findUnassignedHints(tx, matching.accountId, externalId)),
  ]);
  return { payments, isIdentified };
}

/** Finds any number of payments, a part after the other. Parts of different identifiers are not waited for one by one. */
async function findAllUnder(tx: Transaction, matching: Matching, hints: readonly ParkedHint[]): Promise<ParkedFor[]> {
  const reading: Promise<ParkedFor[]>[] = [];
  for (const [kind, ofKind] of Map.groupBy(hints, (hint) => hint.kind)) {
    const values = ofKind.map(({ value }) => value);
    for (let start = 0; start < values.length; start += VALUES_PER_PART) {
      reading.push(readAll(tx, matching, { kind, values: values.slice(start, start + VALUES_PER_PART) }));
    }
  }
  return (await Promise.all(reading)).flat();
}

async function readAll(
  tx: Transaction,
  matching: Matching,
  hints: Parameters<typeof findParkedPart>[2],
): Promise<ParkedFor[]> {
  const payments: ParkedFor[] = [];
  for (let after = { afterValue: '', afterId: '' }; ; ) {
    const found = await findParkedPart(tx, matching, hints, { ...after, limit: ROWS_PER_PART });
    payments.push(...stillParked(found));
    const last = found.at(-1);
    if (last === undefined || found.length < ROWS_PER_PART) return payments;
    after = { afterValue: last.value, afterId: last.id };
  }
}
