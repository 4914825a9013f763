import { NO_HINTS } from '../../adapters/contract/readers.ts';
import type { CustomerHints, Fact } from '../core/facts.ts';
import type { AccountId } from '../core/ids.ts';
import type { MissingDelivery } from '../deliveries/store-missing.ts';
import { findCustomer, findCustomerById } from '../payments/known-customer.ts';
import { findNamedPayments } from '../payments/known-payment.ts';
import type { Transaction } from '../storage/database.ts';
import { type CarriedFacts, findCarried, findReferences } from './queries/carried.ts';
import type { ReconciliationRow } from './queries/reconciliations.ts';

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

/** The processor's ids that name payments in these facts, each once. */
function referencesIn(facts: readonly Fact[]): string[] {
  return [...new Set(facts.flatMap((fact) => ('references' in fact ? (fact.references ?? []) : [])))];
}

/**
 * What a dry run keeps of a missing delivery, to judge others of the same payment by: its facts about payments, without whom
 * they name. Null for what no other depends on, such as a payment of an unknown customer, of which there may be millions.
 *
 * @param isKnown whether anything else of the payment was delivered, or found by the run
 */
export async function carriedFactsOf(
  tx: Transaction,
  accountId: AccountId,
  { outcome, facts, customerId, clickId }: MissingDelivery,
  isKnown: boolean,
): Promise<CarriedFacts | null> {
  const ofPayments = facts.filter((fact) => referencesIn([fact]).length > 0 && fact.kind !== 'customer.erased');
  const isNeeded = outcome === 'sale' || outcome === 'reversal' || isKnown;
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

type Run = Pick<ReconciliationRow, 'id' | 'accountId' | 'processor'>;

/**
 * What names the payments in these facts: the processor's ids, and ours of those that are stored, under which reports belong
 * together that have no id in common.
 */
export async function namesIn(tx: Transaction, { accountId, processor }: Run, facts: readonly Fact[]) {
  const all = new Set(referencesIn(facts));
  const named = facts.flatMap((fact) => {
    const references = referencesIn([fact]);
    return references.length === 0 ? [] : [{ references, invoiceId: 'invoiceId' in fact ? fact.invoiceId : null }];
  });
  let isStored = false;
  // an order and its refunds name the same
  for (const { references, invoiceId } of new Map(named.map((one) => [JSON.stringify(one), one])).values()) {
    const stored = await findNamedPayments(tx, accountId, { processor, references, invoiceId });
    isStored ||= stored.length > 0;
    for (const { id } of stored) all.add(id);
  }
  return { all, isStored };
}

/** The facts of deliveries that this dry run has found missing and that are of the same payment as these facts. */
export async function findEarlierFacts(tx: Transaction, run: Run, facts: readonly Fact[]): Promise<Fact[]> {
  const reconciliationId = run.id;
  const { all: names } = await namesIn(tx, run, facts);
  const found = new Map<string, CarriedFacts & { position: number }>();
  // also visits the names that are added meanwhile
  for (const name of names) {
    if (found.size === DELIVERIES_MAX) break;
    for (const { deliveryKey, ...carried } of await findCarried(tx, reconciliationId, name, DELIVERIES_MAX)) {
      if (found.has(deliveryKey) || found.size === DELIVERIES_MAX) continue;
      found.set(deliveryKey, carried);
      const others = await findReferences(tx, { reconciliationId, deliveryKey });
      for (const { reference } of others) names.add(reference);
    }
  }
  const earlier: Fact[] = [];
  const inOrder = [...found.values()].sort((one, other) => one.position - other.position);
  for (const { position: _, ...carried } of inOrder) earlier.push(...(await factsIn(tx, run.accountId, carried)));
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
