import { claimKeys } from '../app/claims.ts';
import type { CustomerHints } from '../core/facts.ts';
import type { AccountId, PartnerId, PaymentId, SaleId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import { notFound } from '../errors.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { bindCustomer } from './customers.ts';
import { withoutErasedPerson } from './erase.ts';
import { findCustomer } from './queries/customers.ts';
import { findOwnerByPartner, type Owner } from './queries/owners.ts';
import type { Payment } from './queries/payments.ts';
import { claimNamedPayments, claimPaymentsOfAnyProcessor } from './queries/references.ts';
import { voidSale } from './queries/sales.ts';
import type { EarnedElsewhere, Purchase } from './record-sale.ts';
import { getReversibleSale, resultOf, settleReversals } from './reverse-sale.ts';
import { recordSaleEvent } from './sale-events.ts';
import type { Scope } from './scope.ts';
import { sellPayment } from './sell.ts';

/** The ids of a payment that another service knows. */
export interface ImportedPayment {
  processor: PaymentProcessor;
  invoiceId: string | null;
  /** Further ids of the payment. Its refunds are found by them. */
  references: readonly string[];
}

/**
 * A sale that was made and earned its commission before the account moved here. Amounts are minor units of `currency`.
 */
export interface ImportedSale extends ImportedPayment {
  partnerId: string;
  customer: { externalId: string; email: string | null; name: string | null; processorCustomerId: string | null };
  eventName: string;
  amountMinor: number;
  /** With tax and shipping, less earlier refunds. Later refunds are measured against this amount. */
  grossMinor: number;
  currency: string;
  occurredAt: number;
  earned: EarnedElsewhere;
  /** Who states that the partner earned it, for the trace. */
  origin: string;
}

/**
 * The sale, and whether it was already stored. A known sale was left unchanged and may have another partner or amount.
 */
export interface FoundSale {
  saleId: SaleId;
  partnerId: PartnerId;
  currency: string;
  commissionMinor: number;
  isKnown: boolean;
}

/**
 * Records a sale with the commission that it earned elsewhere, inside a unit of work. A parked payment with one of its
 * ids becomes this sale. A payment that was already counted here is left alone.
 *
 * @throws ServiceError `NOT_FOUND` for the partner
 */
export async function importSale(tx: Transaction, scope: Scope, sale: ImportedSale): Promise<FoundSale> {
  const { accountId } = scope;
  const { partnerId, customer, processor, invoiceId, earned, origin } = sale;
  const names = namesOf(sale);
  await tx.claim(() => [
    ...claimsOfBuyer(accountId, sale),
    ...names.map((name) => claimKeys.reference(accountId, name)),
  ]);
  const payments = await claimStoredPayments(tx, accountId, sale, names);
  const counted = payments.find(({ saleId }) => saleId !== null);
  if (counted?.saleId != null) return known(tx, accountId, counted.saleId);
  const owner = await findOwnerByPartner(tx, accountId, partnerId);
  if (owner === undefined) throw notFound('partner', partnerId);
  const buyer = await bindBuyer(tx, scope, owner, customer);
  const stored = payments.find(({ state }) => state === 'parked') ?? payments[0] ?? null;
  const { sale: sold } = await sellPayment(tx, scope, {
    stored,
    newReferences: names.filter((name) => name !== invoiceId || stored !== null),
    deliveryId: null,
    earlierOutcome: 'sale',
    purchase: purchaseOf(sale),
    buyer,
    match: {
      owner,
      matchedBy: 'by_hand',
      steps: [{ step: 'by_hand', value: partnerId, result: 'matched', reason: origin }],
    },
    identification: customer.processorCustomerId === null ? null : { processor, hints: hintsOf(sale), stored: null },
    earned,
  });
  const { id: saleId, currency, commissionAmount: commissionMinor } = sold;
  return { saleId, partnerId: owner.partnerId, currency, commissionMinor, isKnown: false };
}

/** What is known here of a payment whose customer another service does not name. */
export interface KnownPayment {
  /** Its sale; null while it has none. */
  sale: FoundSale | null;
  /** The payment, if it waits to be attributed; otherwise null. */
  parkedId: PaymentId | null;
}

/** Looks a payment up and claims it, inside a unit of work. */
export async function findKnownPayment(
  tx: Transaction,
  accountId: AccountId,
  payment: ImportedPayment,
): Promise<KnownPayment> {
  const names = namesOf(payment);
  await tx.claim(() => names.map((name) => claimKeys.reference(accountId, name)));
  const payments = await claimStoredPayments(tx, accountId, payment, names);
  const saleId = payments.find((stored) => stored.saleId !== null)?.saleId ?? null;
  const parkedId = payments.find(({ state }) => state === 'parked')?.id ?? null;
  return { sale: saleId === null ? null : await known(tx, accountId, saleId), parkedId };
}

/**
 * Reverses a sale in full because it was voided elsewhere. The commission is reversed even when it was already paid.
 *
 * @returns false when the sale was already void
 */
export async function voidImportedSale(
  tx: Transaction,
  scope: Scope,
  saleId: SaleId,
  reason: string,
): Promise<boolean> {
  const { accountId, now } = scope;
  const { paymentId } = await getReversibleSale(tx, accountId, saleId);
  await tx.claim(() => [claimKeys.payment(paymentId)]);
  const sale = await getReversibleSale(tx, accountId, saleId);
  if (sale.voidedReason !== null) return false;
  await voidSale(tx, accountId, saleId, reason);
  await settleReversals(tx, now, { ...sale, voidedReason: reason });
  await recordSaleEvent(tx, 'sale.refunded', { accountId, saleId, now });
  countResults(tx, [{ ...resultOf(sale), sales: -1, revenue: -sale.amount }]);
  return true;
}

function namesOf({ invoiceId, references }: ImportedPayment): string[] {
  return [...new Set(invoiceId === null ? references : [invoiceId, ...references])];
}

function claimsOfBuyer(accountId: AccountId, { customer, processor }: ImportedSale) {
  const { externalId, email, processorCustomerId } = customer;
  return [
    claimKeys.external(accountId, externalId),
    ...(email === null ? [] : [claimKeys.email(accountId, email)]),
    ...(processorCustomerId === null ? [] : [claimKeys.identity(accountId, processor, processorCustomerId)]),
  ];
}

/**
 * Claims any payment that may be this sale. An import without a processor often names a charge that a webhook reported
 * earlier.
 */
async function claimStoredPayments(
  tx: Transaction,
  accountId: AccountId,
  { processor, invoiceId }: ImportedPayment,
  references: readonly string[],
): Promise<Payment[]> {
  if (references.length === 0) return [];
  if (processor === 'custom') return claimPaymentsOfAnyProcessor(tx, accountId, references);
  return claimNamedPayments(tx, accountId, { processor, references, invoiceId });
}

async function known(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<FoundSale> {
  const { partnerId, currency, commissionAmount } = await getReversibleSale(tx, accountId, saleId);
  return { saleId, partnerId, currency, commissionMinor: commissionAmount, isKnown: true };
}

/** Binds the buyer. A known customer stays with the partner who referred them first. */
async function bindBuyer(tx: Transaction, scope: Scope, owner: Owner, given: ImportedSale['customer']) {
  const { externalId } = given;
  const person = await withoutErasedPerson(tx, scope.accountId, {
    customerExternalId: externalId,
    customerEmail: given.email,
    customerName: given.name,
    customerAvatar: null,
    metadata: null,
  });
  const profile = { email: person.customerEmail, name: person.customerName, avatar: null };
  const stored = await findCustomer(tx, scope.accountId, externalId);
  const { customer, isNew } = await bindCustomer(tx, scope, { externalId, owner, profile, update: 'fill' }, stored);
  const learned = isNew
    ? { newExternalId: externalId, newEmail: customer.email }
    : { newExternalId: null, newEmail: null };
  return { id: customer.id, email: customer.email, ...learned };
}

function purchaseOf(sale: ImportedSale): Purchase {
  return {
    eventName: sale.eventName,
    invoiceId: sale.invoiceId,
    processor: sale.processor,
    netMinor: sale.amountMinor,
    grossMinor: sale.grossMinor,
    currency: sale.currency,
    presentment: null,
    lines: null,
    statedAt: null,
    isBare: false,
    isOrder: true,
    payerEmail: null,
    metadata: null,
    occurredAt: sale.occurredAt,
  };
}

function hintsOf({ customer }: ImportedSale): CustomerHints {
  return {
    externalIds: [{ value: customer.externalId, place: 'import' }],
    clickIds: [],
    processorCustomerId: customer.processorCustomerId,
    subscriptionId: null,
    email: customer.email?.toLowerCase() ?? null,
    name: customer.name,
  };
}
