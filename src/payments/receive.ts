import type { PaymentReceived } from '../core/facts.ts';
import type { FactOutcome } from '../core/outcome.ts';
import { isExpired } from '../core/payment.ts';
import type { Transaction } from '../storage/database.ts';
import { attribute } from './attribute.ts';
import { updateExpired } from './expired.ts';
import { identifyPayer } from './identify-customer.ts';
import { requireBuyer } from './identity/customers.ts';
import { tellsMore } from './identity/identities.ts';
import { withKnown } from './known-report.ts';
import { findMergedPayment } from './merge.ts';
import { mergeIntoSale } from './merge-into-sale.ts';
import { parkPayment, type UnearnedPayment, updateParkedPayment } from './park.ts';
import { type Payment, updateDelivery } from './queries/payments.ts';
import { reportOf } from './record.ts';
import type { DeliveryScope } from './scope.ts';
import { sellPayment } from './sell.ts';

/** Receives a payment by webhook. It becomes a sale, is parked until its customer is known, or is a duplicate. */
export async function receivePayment(
  tx: Transaction,
  scope: DeliveryScope,
  reported: PaymentReceived,
): Promise<FactOutcome> {
  const { processor } = scope;
  const { references: named, invoiceId, paidInvoice } = reported;
  const names = { processor, references: named, invoiceId, paidInvoice };
  const { payment, references } = await findMergedPayment(tx, scope, names);
  return receiveMergedPayment(tx, scope, payment, { ...reported, references });
}

/** Like `receivePayment`, for the stored payment that the report's references name; null when there is none. */
export async function receiveMergedPayment(
  tx: Transaction,
  scope: DeliveryScope,
  stored: Payment | null,
  reported: PaymentReceived,
): Promise<FactOutcome> {
  const { processor, deliveryId } = scope;
  const { references, invoiceId } = reported;
  if (stored !== null && stored.saleId !== null) {
    const { saleId } = stored;
    await mergeIntoSale(tx, scope, saleId, { fact: reported, deliveryId });
    return { outcome: 'duplicate', reason: `this payment is already sale ${saleId}`, saleId };
  }
  const fact = await withKnown(tx, scope, stored, reported);
  if (stored !== null && isExpired(stored, scope.now)) return receiveExpired(tx, scope, stored, fact);
  const { match, steps, identities } = await attribute(tx, scope, fact);
  if (match === null) return parkOrUpdate(tx, scope, { stored, fact, steps, identities });
  const { sale } = await sellPayment(tx, scope, {
    stored,
    newReferences: stored === null ? references.filter((value) => value !== invoiceId) : [],
    deliveryId,
    earlierOutcome: 'duplicate',
    ...reportOf(processor, fact, identities),
    buyer: await requireBuyer(tx, scope, match.owner, match.payer),
    match,
  });
  return { outcome: 'sale', reason: null, saleId: sale.id };
}

async function receiveExpired(
  tx: Transaction,
  scope: DeliveryScope,
  stored: Payment,
  fact: PaymentReceived,
): Promise<FactOutcome> {
  const noted = await updateExpired(tx, scope, stored, fact);
  if (stored.deliveryId !== null) return { ...noted, outcome: 'duplicate' };
  // as in `parkOrUpdate`
  await updateDelivery(tx, stored.id, scope.deliveryId);
  return { ...noted, outcome: 'unattributed' };
}

/** Parks the payment with everything that was tried, or updates it when it is already parked. */
async function parkOrUpdate(
  tx: Transaction,
  scope: DeliveryScope,
  { stored, ...unearned }: Omit<UnearnedPayment, 'paymentId'> & { stored: Payment | null },
): Promise<FactOutcome> {
  if (stored?.parked) await updateParkedPayment(tx, scope, { ...unearned, paymentId: stored.id });
  else await parkPayment(tx, scope, { ...unearned, paymentId: stored?.id ?? null });
  if (mayTellOthers(unearned)) await identifyPayer(tx, scope, unearned.fact);
  if (stored?.parked) {
    if (stored.deliveryId !== null) {
      return { outcome: 'duplicate', reason: 'this payment is already parked', saleId: null };
    }
    // the caller's backend parked it, so this is the first delivery, and it will show the payment's outcome
    await updateDelivery(tx, stored.id, scope.deliveryId);
  }
  const tried = unearned.steps.map((step) => `${step.step} ${step.value}`).join(', ');
  const reason = tried === '' ? 'the payment names nobody' : `no partner found by ${tried}`;
  return { outcome: 'unattributed', reason: `${reason}; parked until its customer signs up`, saleId: null };
}

/**
 * True when the payment may tell whose others are, though none of the programs that may earn it knows its customer: it names
 * a customer of another program, or says more about the processor's ids than was known.
 */
function mayTellOthers({ fact, steps, identities }: Omit<UnearnedPayment, 'paymentId'>): boolean {
  if (fact.onlyPrograms === undefined) return false;
  return steps.some(({ result }) => result === 'skipped') || tellsMore(fact.customer, identities ?? []);
}
