import { claimKeys } from '../../app/claims.ts';
import type { AccountId, PartnerId, PaymentId, SaleId } from '../../core/ids.ts';
import { notFound } from '../../errors.ts';
import type { Transaction } from '../../storage/database.ts';
import { asBuyer, bindCustomer } from '../identity/customers.ts';
import { learnPayer } from '../learn-payer.ts';
import { paidTotalOf } from '../paid-total.ts';
import { findCustomer } from '../queries/customers.ts';
import { findOwnerByPartner, type Owner } from '../queries/owners.ts';
import { findSurvivor, type Payment } from '../queries/payments.ts';
import { addReferences } from '../queries/references.ts';
import { findRefunds, limitCallersTimes } from '../queries/refunds.ts';
import { reportedPayer } from '../record.ts';
import type { EarnedElsewhere, Purchase } from '../record-sale.ts';
import { getReversibleSale } from '../reverse-sale.ts';
import type { Scope } from '../scope.ts';
import { sellPayment } from '../sell.ts';
import { voidSale } from '../void-sale.ts';
import {
  claimImported,
  type ImportedPayment,
  isRefundedHere,
  mergeAll,
  namesOf,
  reportedProcessorOf,
} from './imported-payment.ts';
import {
  claimsOfImported,
  hintsOfImported,
  type ImportedPerson,
  lookAheadToBuyer,
  moveToOwner,
  profileOfImported,
} from './imported-person.ts';

/**
 * A sale that was made and earned its commission before the account moved here. Amounts are minor units of `currency`.
 */
export interface ImportedSale extends ImportedPayment {
  partnerId: string;
  customer: ImportedPerson & { processorCustomerId: string | null };
  eventName: string;
  amountMinor: number;
  /** With tax and shipping, before refunds, which are measured against it. A total that the processor reports here wins. */
  grossMinor: number;
  currency: string;
  occurredAt: number;
  earned: EarnedElsewhere;
  /** Who states that the partner earned it, for the trace. */
  origin: string;
}

/**
 * The sale, and whether it was already stored. A known sale keeps its partner and commission, which may be others.
 */
export interface FoundSale {
  saleId: SaleId;
  partnerId: PartnerId;
  currency: string;
  commissionMinor: number;
  isKnown: boolean;
  /** True when an import stated what it earned. */
  isImported: boolean;
  /** True when nothing of it counts any more: it was refunded in full, voided or rejected. */
  isReversed: boolean;
  /** True when something of it was taken back. */
  isRefunded: boolean;
}

/**
 * Records a sale with the commission that it earned elsewhere, inside a unit of work. A parked payment with one of its
 * ids becomes this sale. A payment that was already counted here only learns the ids that it lacks, with the refunds that
 * wait under them.
 *
 * @throws ServiceError `NOT_FOUND` for the partner; `CONFLICT` when several sales count that have its ids
 */
export async function importSale(tx: Transaction, scope: Scope, sale: ImportedSale): Promise<FoundSale> {
  const { accountId } = scope;
  const { partnerId, customer, invoiceId, earned, origin } = sale;
  const names = namesOf(sale);
  await tx.claim(() => [
    ...claimsOfBuyer(accountId, sale),
    ...names.map((name) => claimKeys.reference(accountId, name)),
  ]);
  tx.lookAhead((ahead) => lookAheadToBuyer(ahead, accountId, partnerId, customer));
  const { saleId: knownId, unsold } = await claimImported(tx, scope, sale);
  if (knownId !== null) return known(tx, accountId, knownId);
  const owner = await findOwnerByPartner(tx, accountId, partnerId);
  if (owner === undefined) throw notFound('partner', partnerId);
  const { buyer, isMoved } = await bindBuyer(tx, scope, owner, customer);
  const stored = await mergeAll(tx, scope, unsold);
  // they were reported before, whatever the clocks of two processes say
  if (stored !== null) await limitCallersTimes(tx, stored.id, scope.now);
  const { payer, other } = payersOf(sale, stored);
  const { sale: sold } = await sellPayment(tx, scope, {
    stored,
    newReferences: [],
    deliveryId: null,
    earlierOutcome: 'sale',
    purchase: purchaseOf(sale, stored),
    buyer,
    match: {
      owner,
      matchedBy: 'by_hand',
      steps: [{ step: 'by_hand', value: partnerId, result: 'matched', reason: origin }],
    },
    identification: payer && { ...payer, isMoved },
    earned,
  });
  // lookups include the invoice id of a sale, but not for every processor once one has reported the payment by another id
  const references = names.length > 1 || stored !== null ? names : names.filter((name) => name !== invoiceId);
  const processor = stored === null ? 'custom' : reportedProcessorOf(stored);
  tx.unawaited(addReferences(tx, accountId, { processor, references }, sold.paymentId));
  if (other !== null) await learnPayer(tx, { ...scope, processor: other.processor }, sold, other.hints);
  const { id: saleId, currency, commissionAmount: commissionMinor } = sold;
  const found = { saleId, partnerId: owner.partnerId, currency, commissionMinor };
  return { ...found, isKnown: false, isImported: true, isReversed: false, isRefunded: false };
}

/** What is known here of a payment whose customer another service does not name. */
export interface KnownPayment {
  /** Its sale; null while it has none. */
  sale: FoundSale | null;
  /** The payment, if it waits to be attributed; otherwise null. */
  parkedId: PaymentId | null;
  /** True when refunds wait for its sale. */
  isRefundWaiting: boolean;
}

/**
 * Looks a payment up and claims it, inside a unit of work. Its sale learns the ids that it lacks, as in `importSale`.
 *
 * @throws ServiceError `CONFLICT` when several sales count that have its ids
 */
export async function findKnownPayment(tx: Transaction, scope: Scope, payment: ImportedPayment): Promise<KnownPayment> {
  const { accountId } = scope;
  await tx.claim(() => namesOf(payment).map((name) => claimKeys.reference(accountId, name)));
  const { saleId, unsold } = await claimImported(tx, scope, payment);
  const parkedId = unsold.find(({ state }) => state === 'parked')?.id ?? null;
  const waiting = await Promise.all(unsold.map(({ id }) => findRefunds(tx, id)));
  const isRefundWaiting = waiting.flat().some(({ amount, failed }) => !failed && (amount ?? 0) > 0);
  return { sale: saleId === null ? null : await known(tx, accountId, saleId), parkedId, isRefundWaiting };
}

/**
 * Voids a sale here, because it was voided elsewhere.
 *
 * @returns the sale that counts instead, when this one had turned out to be its duplicate; otherwise null
 */
export async function voidImportedSale(
  tx: Transaction,
  scope: Scope,
  saleId: SaleId,
  reason: string,
): Promise<FoundSale | null> {
  const { accountId, now } = scope;
  const { paymentId } = await getReversibleSale(tx, accountId, saleId);
  await tx.claim(() => [claimKeys.payment(paymentId)]);
  const sale = await getReversibleSale(tx, accountId, saleId);
  if (sale.voidedReason !== null) {
    const [survivor] = await findSurvivor(tx, accountId, paymentId);
    const countedId = survivor?.saleId ?? saleId;
    return countedId === saleId ? null : known(tx, accountId, countedId);
  }
  await voidSale(tx, now, sale, reason);
  return null;
}

function claimsOfBuyer(accountId: AccountId, { customer, processor }: ImportedSale) {
  const { processorCustomerId: customerId } = customer;
  return claimsOfImported(accountId, customer, customerId === null ? null : { processor, customerId });
}

async function known(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<FoundSale> {
  const sale = await getReversibleSale(tx, accountId, saleId);
  const { partnerId, currency, commissionAmount: commissionMinor } = sale;
  const isReversed = sale.voidedReason !== null || isRefundedHere(sale) || sale.review === 'rejected';
  const isImported = sale.terms.isEarnedElsewhere ?? false;
  const isRefunded = isReversed || sale.refundedAmount > 0;
  return { saleId, partnerId, currency, commissionMinor, isKnown: true, isImported, isReversed, isRefunded };
}

/** Binds the buyer. A known customer stays with the partner who referred them first, unless that one was deleted. */
async function bindBuyer(tx: Transaction, scope: Scope, owner: Owner, given: ImportedSale['customer']) {
  const { externalId } = given;
  const profile = await profileOfImported(tx, scope.accountId, given);
  const stored = await findCustomer(tx, scope.accountId, externalId);
  const isMoved = stored !== undefined && (await moveToOwner(tx, stored, owner));
  const { customer, isNew } = await bindCustomer(tx, scope, { externalId, owner, profile, update: 'fill' }, stored);
  return { buyer: asBuyer({ customer, isNew: isNew || isMoved }, null), isMoved };
}

function purchaseOf(sale: ImportedSale, stored: Payment | null): Purchase {
  const { amountMinor: netMinor, grossMinor, currency } = sale;
  return {
    eventName: sale.eventName,
    invoiceId: sale.invoiceId,
    processor: sale.processor,
    netMinor,
    currency,
    ...paidTotalOf(stored, { currency, netMinor, grossMinor }),
    isOrder: true,
    payerEmail: null,
    metadata: null,
    occurredAt: sale.occurredAt,
  };
}

/**
 * What the import and earlier reports of the payment say about the buyer. `other`: what the reports say of another id of the
 * processor than the import's.
 */
function payersOf({ processor, customer }: ImportedSale, stored: Payment | null) {
  const reported = reportedPayer(stored);
  const { processorCustomerId } = customer;
  if (processorCustomerId === null) return { payer: reported, other: null };
  const isSame =
    reported?.processor === processor &&
    (reported.hints.processorCustomerId ?? processorCustomerId) === processorCustomerId;
  const subscriptionId = isSame ? reported.hints.subscriptionId : null;
  const hints = { ...hintsOfImported(customer, processorCustomerId), subscriptionId };
  return { payer: { processor, hints, stored: null }, other: isSame ? null : reported };
}
