import { NO_HINTS } from '../../adapters/contract/readers.ts';
import type { CustomerHints, Fact } from '../core/facts.ts';
import type { AccountId, ReconciliationId } from '../core/ids.ts';
import type { MissingDelivery } from '../deliveries/store-missing.ts';
import { findCustomer, findCustomerById } from '../payments/known-customer.ts';
import type { Transaction } from '../storage/database.ts';
import { type CarriedFacts, findCarried, findSharedReferences } from './queries/carried.ts';

/** Of one payment. Each is applied again for each of its others. */
const DELIVERIES_MAX = 100;

/** These wait for their payment, or for their money, or say what its other names are. */
const WAITING: ReadonlySet<Fact['kind']> = new Set([
  'payment.announced',
  'payment.referenced',
  'payment.captured',
  'payment.refunded',
  'payment.refund_undone',
  'payment.disputed',
]);

/** The ids that name payments in these facts, each once. */
export function referencesIn(facts: readonly Fact[]): string[] {
  return [...new Set(facts.flatMap((fact) => ('references' in fact ? (fact.references ?? []) : [])))];
}

/**
 * What a dry run keeps of a missing delivery, to judge others of the same payment by: its facts about payments, without whom
 * they name. Null for what no other depends on, such as a payment of an unknown customer, of which there may be millions.
 */
export async function carriedFactsOf(
  tx: Transaction,
  accountId: AccountId,
  { outcome, facts, customerId, clickId }: MissingDelivery,
  hasEarlier: boolean,
): Promise<CarriedFacts | null> {
  const ofPayments = facts.filter((fact) => referencesIn([fact]).length > 0 && fact.kind !== 'customer.erased');
  const isNeeded = outcome === 'sale' || outcome === 'reversal' || hasEarlier;
  if (outcome === 'failed' || !(isNeeded || ofPayments.some(({ kind }) => WAITING.has(kind)))) return null;
  if (ofPayments.length === 0) return null;
  const unnamed = ofPayments.map((fact): Fact => ('customer' in fact ? { ...fact, customer: clicksOf(fact) } : fact));
  const payerId = customerId ?? (await findNamedCustomer(tx, accountId, ofPayments));
  return { facts: JSON.stringify(unnamed), customerId: payerId, clickId };
}

/** By which clicks a payment is attributed, which name no person. */
function clicksOf({ customer }: { customer?: CustomerHints }): CustomerHints {
  return { ...NO_HINTS, clickIds: customer?.clickIds ?? [] };
}

/** The customer whose id of the caller's these facts name; null without one. */
async function findNamedCustomer(tx: Transaction, accountId: AccountId, facts: readonly Fact[]) {
  const hints = facts.flatMap((fact) => ('customer' in fact ? (fact.customer?.externalIds ?? []) : []));
  for (const { value } of hints) {
    const customer = await findCustomer(tx, accountId, value);
    if (customer !== undefined) return customer.id;
  }
  return null;
}

/** The facts of deliveries that this dry run has found missing and that are of the same payment as these facts. */
export async function findEarlierFacts(
  tx: Transaction,
  { id, accountId }: { id: ReconciliationId; accountId: AccountId },
  facts: readonly Fact[],
): Promise<Fact[]> {
  const named = new Set<string>();
  for (const reference of referencesIn(facts)) {
    for (const shared of await findSharedReferences(tx, id, reference, DELIVERIES_MAX)) named.add(shared.reference);
  }
  const found = new Map<string, CarriedFacts>();
  for (const reference of named) {
    for (const { deliveryKey, ...carried } of await findCarried(tx, id, reference, DELIVERIES_MAX)) {
      if (found.size < DELIVERIES_MAX) found.set(deliveryKey, carried);
    }
  }
  const earlier: Fact[] = [];
  for (const carried of found.values()) earlier.push(...(await factsIn(tx, accountId, carried)));
  return earlier;
}

/** The facts with the customer that they were attributed to. */
async function factsIn(tx: Transaction, accountId: AccountId, { facts, customerId, clickId }: CarriedFacts) {
  const stored: Fact[] = JSON.parse(facts);
  const customer = customerId === null ? undefined : await findCustomerById(tx, accountId, customerId);
  const place = 'an earlier delivery of the dry run';
  const hint = (value: string | null | undefined) => (value == null ? [] : [{ value, place }]);
  return stored.map((fact): Fact => {
    if (!('customer' in fact)) return fact;
    const clickIds = clickId === null ? (fact.customer?.clickIds ?? []) : hint(clickId);
    return { ...fact, customer: { ...NO_HINTS, externalIds: hint(customer?.externalId), clickIds } };
  });
}
