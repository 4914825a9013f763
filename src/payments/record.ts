import type { PaymentReceived } from '../core/facts.ts';
import type { CustomerId, DeliveryId, PaymentId, SaleId } from '../core/ids.ts';
import type { Outcome } from '../core/outcome.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import { payerOfAwaited } from '../core/same-payment.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { eraseSalesOfErased } from './erasure/erase.ts';
import type { Buyer } from './identity/customers.ts';
import { type Identification, learnIdentity, type ProcessorIds } from './identity/identities.ts';
import { fillReportedProfile } from './identity/reported-profile.ts';
import { paidInvoiceOf } from './other-invoices.ts';
import { clearParkedHints } from './queries/parked-hints.ts';
import { insertPayment, markCounted, type Payment } from './queries/payments.ts';
import { addReferences } from './queries/references.ts';
import type { NewSale } from './queries/sales.ts';
import { type EarnedElsewhere, type Match, type Purchase, recordSale } from './record-sale.ts';
import { resultOf, settleEarlierReversals } from './reverse-sale.ts';
import type { Scope } from './scope.ts';

/** A payment from any source, with its partner and customer known. */
export interface SellablePayment {
  /** The stored payment that becomes the sale; null for a new payment. */
  stored: Payment | null;
  /** References to store in addition to the invoice id, which is stored with the sale. */
  newReferences: readonly string[];
  /** The delivery that reports the payment; null for the API, and for a parked payment that is attributed later. */
  deliveryId: DeliveryId | null;
  /** The new outcome of the delivery that parked the payment. */
  earlierOutcome: Extract<Outcome, 'sale' | 'duplicate'>;
  purchase: Purchase;
  buyer: Buyer;
  match: Match;
  /** Set only for a sale that was made before the account moved here. */
  earned?: EarnedElsewhere;
  /** What a processor says about the buyer; null when only the API reported the payment. */
  identification: (Omit<Identification, 'customerId' | 'matchedBy'> & { processor: PaymentProcessor }) | null;
}

/** Identifiers that the account has just learned and that parked payments may carry. A member without news is null. */
export interface NewIdentifiers {
  /** A customer with an external id that is new to the account, or who was moved to another partner. */
  newCustomer: { id: CustomerId; externalId: string } | null;
  /** A customer's new e-mail address. */
  email: string | null;
  identities: ProcessorIds | null;
}

/** The purchase and identification in a processor's report. `identities` is null when not looked up. */
export function reportOf(
  processor: PaymentProcessor,
  fact: PaymentReceived,
  identities: Identification['stored'],
): Pick<SellablePayment, 'purchase' | 'identification'> {
  const { recurring, invoiceId, netMinor, grossMinor, currency, presentment, customer: hints, occurredAt } = fact;
  const isOrder = fact.order !== undefined;
  const basis = { lines: fact.lines ?? null, statedAt: fact.statedAt ?? null };
  const isBare = fact.isBare ?? false;
  const isGrossReported = fact.order?.isGrossReported ?? false;
  const eventName = fact.order?.eventName ?? (recurring ? 'Renewal' : 'Purchase');
  const metadata = fact.order?.metadata ?? null;
  const amounts = { netMinor, grossMinor, isGrossReported, currency, presentment, ...basis, isBare, isOrder };
  return {
    purchase: { eventName, invoiceId, processor, ...amounts, payerEmail: hints.email, metadata, occurredAt },
    identification: { processor, hints, stored: identities },
  };
}

/** What deliveries said about the payer of a payment that another report makes a sale; null when they said nothing. */
export function reportedPayer(stored: Payment | null): SellablePayment['identification'] {
  if (stored === null) return null;
  const { processor, parked, awaited } = stored;
  const hints = parked?.fact.customer ?? (awaited && payerOfAwaited(awaited));
  return hints && { processor, hints, stored: null };
}

/** A sale, and a payment of it that was stored before; null without one. */
export interface SoldPayment {
  sale: Pick<NewSale, 'id'>;
  stored: Payment | null;
}

/** Erases what deliveries said about the payers of payments that have turned out to be an erased customer's. */
export async function eraseReportsOf(
  tx: Transaction,
  scope: Scope,
  customerId: CustomerId,
  sold: readonly SoldPayment[],
): Promise<void> {
  const addresses: (string | null)[] = [];
  const saleIds: SaleId[] = [];
  for (const { sale, stored } of sold) {
    const payer = reportedPayer(stored);
    if (payer === null) continue;
    const { email, name } = payer.hints;
    // an announcement that named an erased customer was stored without them, and every renewal may have one
    if (!stored?.parked && email === null && name === null) continue;
    addresses.push(email);
    saleIds.push(sale.id);
  }
  if (saleIds.length > 0) await eraseSalesOfErased(tx, scope, { customerId, saleIds }, addresses);
}

/** A parked payment to sell. Its references are already stored, and its delivery's outcome becomes `sale`. */
export function sellableParked(
  stored: Payment,
  fact: PaymentReceived,
  identities: Identification['stored'],
): Omit<SellablePayment, 'buyer' | 'match'> {
  const report = reportOf(stored.processor, fact, identities);
  return { stored, newReferences: [], deliveryId: null, earlierOutcome: 'sale', ...report };
}

/** What was learned about the buyer of a payment. */
export interface LearnedBuyer {
  /** The address that the processor had reported for its ids of the buyer; null when there was none. */
  reportedEmail: string | null;
  /** True when the processor had reported an address or a name, which may have filled the customer's profile. */
  hasReportedProfile: boolean;
  newIdentifiers: NewIdentifiers;
}

/**
 * Stores the processor's ids of the buyer. The caller then records the payment, and backfills the parked payments that
 * the new identifiers may match.
 */
export async function learnBuyer(
  tx: Transaction,
  scope: Scope,
  { buyer, match, identification }: Pick<SellablePayment, 'buyer' | 'match' | 'identification'>,
): Promise<LearnedBuyer> {
  const newCustomer = buyer.newExternalId === null ? null : { id: buyer.id, externalId: buyer.newExternalId };
  const ofBuyer = { newCustomer, email: buyer.newEmail, identities: null };
  if (identification === null) return { reportedEmail: null, hasReportedProfile: false, newIdentifiers: ofBuyer };
  const identified = { ...identification, customerId: buyer.id, matchedBy: match.matchedBy };
  const ofProcessor = { ...scope, processor: identified.processor };
  // before the ids are assigned, which erases it there
  const { email: reportedEmail, name } = await fillReportedProfile(tx, ofProcessor, identified);
  const identities = await learnIdentity(tx, ofProcessor, identified);
  // a customer with an address keeps it
  const newEmail = buyer.newEmail ?? (buyer.email === null ? reportedEmail : null);
  const newIdentifiers = { newCustomer, email: newEmail, identities };
  return { reportedEmail, hasReportedProfile: reportedEmail !== null || name !== null, newIdentifiers };
}

/**
 * Turns a payment from any source into a sale: creates or takes over the payment's row, records the sale with its
 * commission, settles earlier refunds and disputes, and updates earlier deliveries.
 *
 * @param reportedEmail of its buyer, see `learnBuyer`
 * @throws ServiceError `DUPLICATE_INVOICE`
 */
export async function recordPayment(
  tx: Transaction,
  scope: Scope,
  payment: SellablePayment,
  reportedEmail: string | null,
): Promise<NewSale> {
  const sale = await recordWithoutErasing(tx, scope, payment, reportedEmail);
  await eraseReportsOf(tx, scope, sale.customerId, [{ sale, stored: payment.stored }]);
  return sale;
}

/** `recordPayment` without `eraseReportsOf`. */
export async function recordWithoutErasing(
  tx: Transaction,
  scope: Scope,
  payment: SellablePayment,
  reportedEmail: string | null,
): Promise<NewSale> {
  const { stored, purchase, buyer, match } = payment;
  const saleId = createId('sal');
  const paymentId = stored?.id ?? createId('pmt');
  // the payment's row must come first, because the sale refers to it
  storeCounted(tx, scope, payment, { paymentId, saleId });
  const sale = await recordSale(tx, scope, {
    saleId,
    paymentId,
    purchase: { ...purchase, payerEmail: purchase.payerEmail ?? reportedEmail },
    buyer,
    match,
    earned: payment.earned ?? null,
  });
  if (stored !== null || sale.review === 'rejected' || sale.terms.refundedElsewhere !== undefined) {
    const isFromApi = (stored?.deliveryId ?? payment.deliveryId) === null;
    await settleEarlierReversals(tx, scope.now, { ...sale, ...NEW_SALE_STATE, isFromApi });
  }
  if (stored !== null) {
    tx.unawaited(changeOutcome(tx, { ...scope, deliveryId: stored.deliveryId }, payment.earlierOutcome, saleId));
  }
  countResults(tx, [{ ...resultOf(sale), sales: 1, revenue: sale.amount, commission: sale.commissionAmount }]);
  return sale;
}

/** The reversal state of a new sale. */
const NEW_SALE_STATE = { refundedAmount: 0, disputedOpen: false, voidedReason: null } as const;

/** Creates or takes over the payment's row for this sale. */
function storeCounted(
  tx: Transaction,
  { accountId, now }: Scope,
  { stored, newReferences, deliveryId, purchase }: SellablePayment,
  { paymentId, saleId }: { paymentId: PaymentId; saleId: SaleId },
): void {
  const { processor, occurredAt } = purchase;
  if (stored === null) {
    const payment = {
      id: paymentId,
      accountId,
      processor,
      state: 'counted' as const,
      saleId,
      deliveryId,
      parked: null,
      occurredAt,
      expiresAt: null,
      createdAt: now,
    };
    tx.unawaited(insertPayment(tx, payment));
  } else {
    const paid = paidInvoiceOf(stored);
    const paidInvoiceId = paid === purchase.invoiceId ? null : paid;
    tx.unawaited(markCounted(tx, { paymentId, saleId, deliveryId, paidInvoiceId }));
    if (stored.parked !== null) tx.unawaited(clearParkedHints(tx, paymentId));
  }
  if (newReferences.length === 0) return;
  tx.unawaited(addReferences(tx, accountId, { processor, references: newReferences }, paymentId));
}
