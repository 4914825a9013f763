import { claimKeys } from '../app/claims.ts';
import type { PaymentReceived } from '../core/facts.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { attribute } from './attribute.ts';
import type { Scope } from './customers.ts';
import { identityKeysOf } from './identify.ts';
import { fillProfile } from './queries/customers.ts';
import { type IdentityKey, tieIdentities } from './queries/identities.ts';
import {
  clearParkedHints,
  findParkedByEmail,
  findParkedByHint,
  findParkedByIdentities,
} from './queries/parked-hints.ts';
import { countPayment, getPayment, type PaymentRow } from './queries/payments.ts';
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
  const email = (await fillFromIdentities(tx, accountId, customer)) ?? customer.email;
  const waiting = [
    ...(await findParkedByHint(tx, accountId, { kind: 'external', value: customer.externalId }, now)),
    ...(await findParkedByIdentities(tx, accountId, customer.externalId, now)),
  ];
  if (email !== null) waiting.push(...(await findParkedByEmail(tx, accountId, email.toLowerCase(), now)));
  return attributeAll(tx, scope, waiting);
}

/** A customer is known by an e-mail address now: payments that carried only this are attributed, where programs allow it. */
export async function attributeWaitingForEmail(tx: Transaction, scope: Scope, email: string): Promise<string[]> {
  return attributeAll(tx, scope, await findParkedByEmail(tx, scope.accountId, email.toLowerCase(), scope.now));
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

/** Processors may have told more of the customer than the caller did; returns the e-mail address, where one was told. */
async function fillFromIdentities(
  tx: Transaction,
  accountId: string,
  customer: ArrivedCustomer,
): Promise<string | null> {
  const tied = await tieIdentities(tx, accountId, customer.externalId, customer.id);
  const email = tied.find((identity) => identity.email !== null)?.email ?? null;
  const name = tied.find((identity) => identity.name !== null)?.name ?? null;
  if (email === null && name === null) return null;
  const filled = await fillProfile(tx, customer.id, { email, name, avatar: null });
  return filled?.email ?? null;
}

async function attributeAll(tx: Transaction, scope: Scope, waiting: readonly PaymentRow[]): Promise<string[]> {
  const sales: string[] = [];
  const ids = [...new Set(waiting.map((payment) => payment.id))].sort();
  await tx.claim(() => ids.map(claimKeys.payment));
  for (const id of ids) {
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
  await settleWaiting(tx, scope, saleId);
  await changeOutcome(tx, { ...scope, deliveryId: payment.deliveryId }, 'sale', saleId);
  const sales = [saleId];
  if (buyer.newlyIdentified) {
    const keys = identityKeysOf(fact.customer);
    sales.push(...(await attributeWaitingForIdentities(tx, scope, payment.processor, keys)));
  }
  if (buyer.newEmail !== null) sales.push(...(await attributeWaitingForEmail(tx, scope, buyer.newEmail)));
  if (buyer.newExternalId !== null) {
    const arrived = { id: buyer.id, externalId: buyer.newExternalId, email: fact.customer.email };
    sales.push(...(await attributeWaitingFor(tx, scope, arrived)));
  }
  return sales;
}
