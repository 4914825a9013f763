import type { TraceStep } from '../core/attribution.ts';
import type { CustomerHints, PaymentReceived } from '../core/facts.ts';
import { identityKeysOf } from '../core/identity.ts';
import type { PaymentId } from '../core/ids.ts';
import { waitsUntil } from '../core/payment.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import { recordEvent } from '../events/record.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { Attribution } from './attribute.ts';
import { eraseParkedOfErased } from './erasure/erase.ts';
import { learnIdentity } from './identity/identities.ts';
import { reportedProfileOf } from './identity/reported-profile.ts';
import { findProcessorIdentities, type StoredIdentity } from './queries/identities.ts';
import { addParkedHints, emailHint, ownerHint, type ParkedHint } from './queries/parked-hints.ts';
import { insertPayment, markParked, updateParked, updateProcessor } from './queries/payments.ts';
import { addReferences } from './queries/references.ts';
import { asParked } from './resources/parked-resource.ts';
import type { ParkingScope, ProcessorScope, Scope } from './scope.ts';

/** A payment without a partner, and everything that was tried. */
export interface UnearnedPayment {
  /** The row of a known payment; null for a new one. */
  paymentId: PaymentId | null;
  fact: PaymentReceived;
  steps: TraceStep[];
  /** The identities stored for the processor's ids in the payment; null when they were not looked up. */
  identities: readonly StoredIdentity[] | null;
}

/** Parks a new or awaited payment until its customer is known. Returns its id. */
export async function parkPayment(tx: Transaction, scope: ParkingScope, unearned: UnearnedPayment): Promise<PaymentId> {
  const { accountId, processor, deliveryId, now } = scope;
  const { paymentId, fact, steps } = unearned;
  const since = scope.isReadBack ? Math.min(fact.occurredAt, now) : now;
  const parked = {
    id: paymentId ?? createId('pmt'),
    deliveryId,
    parked: { fact, steps },
    occurredAt: fact.occurredAt,
    expiresAt: waitsUntil(since, scope.parkedDays),
  };
  if (paymentId === null) {
    await insertPayment(tx, { ...parked, accountId, processor, state: 'parked', saleId: null, createdAt: now });
    await addReferences(tx, accountId, { processor, references: fact.references }, parked.id);
  } else {
    await markParked(tx, parked);
  }
  await indexParked(tx, scope, parked.id, unearned);
  const data = () => asParked({ ...parked, ...parked.parked, processor });
  await recordEvent(tx, { accountId, type: 'payment.unattributed', occurredAt: now, data });
  return parked.id;
}

/** Updates a payment that stays parked. `fact` merges what all deliveries report about it. */
export async function updateParkedPayment(
  tx: Transaction,
  scope: ProcessorScope,
  parked: UnearnedPayment & { paymentId: PaymentId },
): Promise<void> {
  await updateParked(tx, parked.paymentId, { fact: parked.fact, steps: parked.steps });
  // its ids of the customer mean nothing at another one
  if (scope.processor !== 'custom') await updateProcessor(tx, parked.paymentId, scope.processor);
  await indexParked(tx, scope, parked.paymentId, parked);
}

/** Indexes a parked payment under every identifier that a later lead or identity can match. */
async function indexParked(
  tx: Transaction,
  scope: ProcessorScope,
  paymentId: PaymentId,
  { fact: { customer: hints }, identities }: UnearnedPayment,
): Promise<void> {
  // No customer matches any of the hints; otherwise the payment would not be parked. This unit has claimed all of them, so
  // that a concurrent unit that learns one of them finds the payment in `backfillParked`.
  const keys = identityKeysOf(hints);
  const stored = identities ?? (keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys));
  await learnIdentity(tx, scope, { hints, customerId: null, stored, matchedBy: null });
  const email = hints.email ?? (await reportedProfileOf(tx, scope.accountId, hints, stored)).email;
  await addParkedHints(tx, scope.accountId, parkedHintsOf(scope.processor, { ...hints, email }), paymentId);
  await indexByCustomers(tx, scope, paymentId, stored);
}

/** Indexes a parked payment that was tried again, and still matches nobody, under what is known about its payer by now. */
export async function indexAgain(
  tx: Transaction,
  scope: Scope,
  paymentId: PaymentId,
  { reportedEmail, identities }: Pick<Attribution, 'reportedEmail' | 'identities'>,
): Promise<void> {
  if (reportedEmail !== null) await addParkedHints(tx, scope.accountId, [emailHint(reportedEmail)], paymentId);
  await indexByCustomers(tx, scope, paymentId, identities ?? []);
}

/**
 * Indexes a parked payment under the customers to whom these identities belong: it waits because it may not be earned in
 * their program. They may be moved to another program, or erased, even before.
 */
async function indexByCustomers(
  tx: Transaction,
  scope: Scope,
  paymentId: PaymentId,
  identities: readonly StoredIdentity[],
): Promise<void> {
  const customerIds = new Set(identities.map(({ customerId }) => customerId).filter((id) => id !== null));
  await addParkedHints(tx, scope.accountId, [...customerIds].map(ownerHint), paymentId);
  for (const customerId of customerIds) await eraseParkedOfErased(tx, scope, customerId, paymentId);
}

function parkedHintsOf(processor: PaymentProcessor, hints: CustomerHints): ParkedHint[] {
  return [
    ...hints.externalIds.map(({ value }) => ({ kind: 'external', value }) as const),
    ...identityKeysOf(hints).map(({ kind, value }) => ({ kind, value: `${processor}:${value}` })),
    ...(hints.email === null ? [] : [emailHint(hints.email)]),
  ];
}
