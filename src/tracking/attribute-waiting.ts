import type { PaymentReceived } from '../core/facts.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { updateOutcome } from '../storage/queries/deliveries.ts';
import { type IdentityKey, tieIdentities } from '../storage/queries/identities.ts';
import { clearParkedHints, findParkedByHint, findParkedByIdentities } from '../storage/queries/parked-hints.ts';
import { countPayment, getPayment, type PaymentRow } from '../storage/queries/payments.ts';
import { attribute } from './attribute.ts';
import { claimKeys } from './claims.ts';
import type { Scope } from './customers.ts';
import { type Earned, sell } from './sell.ts';
import { settleWaiting } from './settle-waiting.ts';

/** A customer that the account has just learned of. */
export interface ArrivedCustomer {
  id: string;
  externalId: string;
  email: string | null;
}

/**
 * A customer appeared: payments that were parked because nobody knew it are attributed now, by the terms of this
 * moment, each as if it arrived again. Returns the sales that came of it.
 */
export async function attributeWaitingFor(tx: Transaction, scope: Scope, customer: ArrivedCustomer): Promise<string[]> {
  const { accountId, now } = scope;
  await tieIdentities(tx, accountId, customer.externalId, customer.id);
  const waiting = [
    ...(await findParkedByHint(tx, accountId, { kind: 'external', value: customer.externalId }, now)),
    ...(await findParkedByIdentities(tx, accountId, customer.externalId, now)),
  ];
  if (customer.email !== null) {
    const value = customer.email.toLowerCase();
    waiting.push(...(await findParkedByHint(tx, accountId, { kind: 'email', value }, now)));
  }
  return attributeAll(tx, scope, waiting);
}

/** Ids of a processor were tied to a customer: payments that carried only these are attributed now. */
export async function attributeWaitingForIdentities(
  tx: Transaction,
  scope: Scope,
  processor: string,
  keys: readonly IdentityKey[],
): Promise<string[]> {
  const waiting: PaymentRow[] = [];
  for (const { kind, value } of keys) {
    waiting.push(...(await findParkedByHint(tx, scope.accountId, { kind, value: `${processor}:${value}` }, scope.now)));
  }
  return attributeAll(tx, scope, waiting);
}

async function attributeAll(tx: Transaction, scope: Scope, waiting: readonly PaymentRow[]): Promise<string[]> {
  const sales: string[] = [];
  for (const id of [...new Set(waiting.map((payment) => payment.id))].sort()) {
    await tx.claim([claimKeys.payment(id)]);
    const payment = await getPayment(tx, scope.accountId, id);
    if (payment?.state !== 'parked' || payment.fact === null) continue;
    const fact = JSON.parse(payment.fact) as PaymentReceived;
    const { match, steps } = await attribute(tx, scope.accountId, payment.processor, fact.customer, fact.discountCodes);
    if (match) sales.push(...(await sellParked(tx, scope, payment, fact, { ...match, steps })));
  }
  return sales;
}

/**
 * Turns one parked payment into a sale, with the refunds that waited for it; its delivery shows `sale` from then on.
 * Returns the sale, and those of other payments that this one's customer was waited for by.
 */
export async function sellParked(
  tx: Transaction,
  scope: Scope,
  payment: PaymentRow,
  fact: PaymentReceived,
  earned: Earned,
): Promise<string[]> {
  const saleId = createId('sal');
  await countPayment(tx, payment.id, saleId);
  await clearParkedHints(tx, payment.id);
  const processorScope = { ...scope, processor: payment.processor };
  const buyer = await sell(tx, processorScope, fact, { saleId, paymentId: payment.id }, earned);
  await settleWaiting(tx, saleId, scope.now);
  if (payment.deliveryId !== null) await updateOutcome(tx, payment.deliveryId, 'sale', saleId);
  if (buyer.newExternalId === null) return [saleId];
  const arrived = { id: buyer.id, externalId: buyer.newExternalId, email: fact.customer.email };
  return [saleId, ...(await attributeWaitingFor(tx, scope, arrived))];
}
