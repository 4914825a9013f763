import { claimKeys } from '../app/claims.ts';
import { withHintsOf } from '../core/same-payment.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import type { Scope } from './customers.ts';
import { addReference, findPayments, insertPayment, joinPayment, type PaymentRow } from './queries/payments.ts';
import { getReversibleSale, voidSale } from './queries/sales.ts';
import { settleReversal } from './reverse-sale.ts';
import { settleWaiting } from './settle-waiting.ts';
import { adoptAmounts, completeParked, completeSale, parkedFactOf } from './told-again.ts';

const RANK = { counted: 0, parked: 1, awaited: 2, joined: 3 } as const;

/** Ids that name one payment of one processor. */
export interface PaymentNames {
  processor: string;
  references: readonly string[];
  /** One of the references, where it is known which. */
  invoiceId: string | null;
}

/**
 * The one payment that these references name; null when none is stored. Where they named several until now, those are
 * joined: a counted one stays, else a parked one, else the earliest. When two were counted, the later sale is reversed
 * whole. References that were not known yet are added.
 */
export async function findJoinedPayment(
  tx: Transaction,
  scope: Scope,
  names: PaymentNames,
): Promise<{ payment: PaymentRow; changed: boolean } | null> {
  const { processor, references, invoiceId } = names;
  const found = await claimPayments(tx, () => findPayments(tx, scope.accountId, processor, references, invoiceId));
  const [first, ...others] = found.toSorted(byRank);
  if (!first) return null;
  let payment: PaymentRow = first;
  for (const other of others) payment = await join(tx, scope, other, payment);
  const known = new Set(found.flatMap(({ knownReferences }) => knownReferences));
  const unknown = references.filter((value) => !known.has(value));
  const added = await addReferences(tx, scope.accountId, { ...names, references: unknown }, payment.id);
  return { payment, changed: others.length > 0 || added > 0 };
}

/**
 * Claims the payments that `find` finds, and finds again: what another unit did to them in the meantime is seen, and
 * until this unit ends nobody does more.
 */
export async function claimPayments<Row extends PaymentRow>(
  tx: Transaction,
  find: () => Promise<Row[]>,
): Promise<Row[]> {
  let found = await find();
  const claimed = new Set<string>();
  while (found.some((payment) => !claimed.has(payment.id))) {
    for (const payment of found) claimed.add(payment.id);
    await tx.claim(() => [...claimed].map(claimKeys.payment));
    found = await find();
  }
  return found;
}

/** As `findJoinedPayment`; where nothing is known, a payment that is awaited under these references is made. */
export async function requireJoinedPayment(
  tx: Transaction,
  scope: Scope,
  names: PaymentNames,
): Promise<{ payment: PaymentRow; changed: boolean }> {
  const known = await findJoinedPayment(tx, scope, names);
  if (known) return known;
  const payment: PaymentRow = {
    id: createId('pmt'),
    processor: names.processor,
    state: 'awaited',
    saleId: null,
    deliveryId: null,
    fact: null,
    steps: null,
    occurredAt: null,
    expiresAt: null,
  };
  await insertPayment(tx, { ...payment, accountId: scope.accountId, createdAt: scope.now });
  await addReferences(tx, scope.accountId, names, payment.id);
  return { payment, changed: true };
}

/** Returns how many were new. */
export async function addReferences(
  tx: Transaction,
  accountId: string,
  { processor, references }: PaymentNames,
  paymentId: string,
): Promise<number> {
  let added = 0;
  for (const value of references) added += await addReference(tx, accountId, processor, value, paymentId);
  return added;
}

/** Joins two payments that turned out to be one otherwise than by their references. Returns the survivor. */
export function joinTwo(tx: Transaction, scope: Scope, one: PaymentRow, other: PaymentRow): Promise<PaymentRow> {
  return byRank(one, other) < 0 ? join(tx, scope, other, one) : join(tx, scope, one, other);
}

/** Returns the survivor, with what it has now. */
async function join(tx: Transaction, scope: Scope, loser: PaymentRow, survivor: PaymentRow): Promise<PaymentRow> {
  await joinPayment(tx, loser.id, survivor.id);
  if (loser.saleId !== null && survivor.saleId !== null) {
    await voidSecondRecord(tx, scope, loser.saleId, survivor.saleId, loser.deliveryId);
  } else {
    await changeOutcome(tx, { ...scope, deliveryId: loser.deliveryId }, 'duplicate', survivor.saleId);
  }
  const merged = await mergeParked(tx, scope, loser, survivor);
  if (survivor.saleId !== null) await settleWaiting(tx, scope, survivor.saleId);
  return merged;
}

/** Two sales are one payment: the later is reversed whole; what only it knew from the processor goes to the other. */
async function voidSecondRecord(
  tx: Transaction,
  scope: Scope,
  secondId: string,
  saleId: string,
  deliveryId: string | null,
): Promise<void> {
  await voidSale(tx, scope.accountId, secondId, `the same payment as sale ${saleId}`);
  await settleReversal(tx, scope, secondId);
  const second = await getReversibleSale(tx, scope.accountId, secondId);
  if (second) await adoptAmounts(tx, scope, saleId, second, deliveryId);
}

/** What was received under the other references, and waits no longer by itself, is told to the survivor. */
async function mergeParked(
  tx: Transaction,
  scope: Scope,
  loser: PaymentRow,
  survivor: PaymentRow,
): Promise<PaymentRow> {
  const told = parkedFactOf(loser);
  if (told === null) return survivor;
  const processorScope = { ...scope, processor: loser.processor };
  if (survivor.saleId !== null) await completeSale(tx, processorScope, told, survivor.saleId, loser.deliveryId);
  const parked = parkedFactOf(survivor);
  if (parked === null) return survivor;
  const fact = withHintsOf(parked, told);
  await completeParked(tx, processorScope, survivor.id, fact, JSON.parse(survivor.steps ?? '[]'));
  return { ...survivor, fact: JSON.stringify(fact) };
}

/** Who stays first. Sale ids sort by time of creation; so do payment ids. */
function byRank(a: PaymentRow, b: PaymentRow): number {
  return RANK[a.state] - RANK[b.state] || ((a.saleId ?? a.id) < (b.saleId ?? b.id) ? -1 : 1);
}
