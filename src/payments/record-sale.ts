import type { SaleMatch, TraceStep } from '../core/attribution.ts';
import { availableAt, type EarnedCommission, NO_COMMISSION } from '../core/commission.ts';
import type { PaidLines } from '../core/facts.ts';
import type { PaymentId, SaleId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import { selfReferralFor } from '../core/self-referral.ts';
import { ServiceError } from '../errors.ts';
import { addEntries } from '../ledger/entries.ts';
import { isTaken, type Transaction } from '../storage/database.ts';
import { earnedCommission, firstSaleFor } from './earned-commission.ts';
import type { Buyer } from './identity/customers.ts';
import type { Owner } from './queries/owners.ts';
import { insertSale, type NewSale } from './queries/sales.ts';
import { ownerOf } from './reverse-sale.ts';
import { recordNewSale } from './sale-events.ts';
import type { Scope } from './scope.ts';

/** Who earned a payment, and why. */
export interface Match {
  owner: Owner;
  matchedBy: SaleMatch;
  steps: TraceStep[];
}

/** What was paid, whoever reported it. Amounts are minor units of `currency`. */
export interface Purchase {
  eventName: string;
  invoiceId: string | null;
  processor: PaymentProcessor;
  netMinor: number;
  grossMinor: number;
  /** True when a processor reported or captured the gross amount of a purchase that the caller's backend reports. */
  isGrossReported: boolean;
  currency: string;
  presentment: { currency: string; grossMinor: number } | null;
  /** The lines that the amounts paid for; null when unknown. */
  lines: PaidLines | null;
  /** When a processor wrote the report of these amounts; null when the time does not matter. */
  statedAt: number | null;
  /** True for the amounts of a bare report. */
  isBare: boolean;
  /**
   * True when the caller's backend reported the purchase. Its net amount is then the base of the commission on any
   * terms.
   */
  isOrder: boolean;
  /** The payment's own e-mail address, which may differ from the stored customer's. */
  payerEmail: string | null;
  metadata: Record<string, unknown> | null;
  occurredAt: number;
}

/** What a sale earned at the service where it was made, when it was not made here. */
export interface EarnedElsewhere {
  /** In minor units of the sale's currency; `reason` is kept with the sale and its entry. */
  commission: EarnedCommission;
  /** When the hold is over, in epoch milliseconds. */
  availableAt: number;
  /** What was refunded there, in minor units, and lowered the sale's amount and commission; 0 for nothing. */
  refundedMinor: number;
}

/** A purchase whose partner and customer are known. */
export interface AttributedPurchase {
  /** Null for a purchase that earns commission on our terms. */
  earned: EarnedElsewhere | null;
  saleId: SaleId;
  paymentId: PaymentId;
  purchase: Purchase;
  buyer: Buyer;
  match: Match;
}

/**
 * Stores a sale with its trace, its commission as a ledger entry, and the partner's queued payout.
 *
 * The caller has claimed the payment and marks it as counted. Current terms apply; the hold starts at the payment. A
 * self-referral is flagged or rejected according to the program's rule; the caller settles the reversal of a rejected
 * one. Commission that was earned elsewhere is stored unchanged.
 *
 * The unit fails with `DUPLICATE_INVOICE` when the account has a sale with this invoice id.
 */
export async function recordSale(tx: Transaction, scope: Scope, attributed: AttributedPurchase): Promise<NewSale> {
  const { purchase, buyer, match, earned } = attributed;
  const { owner } = match;
  const callersTerms = {
    ...owner.terms,
    ...termsOfCaller(purchase),
    ...(earned === null ? {} : termsElsewhere(earned)),
  };
  const offered = purchase.isOrder ? callersTerms : owner.terms;
  const amount = offered.amountBasis === 'gross' ? purchase.grossMinor : purchase.netMinor;
  const { archivedAt } = owner;
  const firstSaleAt = earned === null ? await firstSaleFor(tx, buyer.id, offered) : null;
  const earning = { ...purchase, amountMinor: amount, archivedAt, firstSaleAt };
  const commission = earned?.commission ?? earnedCommission(earning, offered);
  // stored with the sale, so that corrected amounts of the same payment earn nothing either
  const withheld = { ...offered, commission: NO_COMMISSION, refused: offered.commission, firstSaleAt };
  const terms = commission.isRefused ? withheld : offered;
  const self = { id: owner.partnerId, email: owner.partnerEmail };
  const rule = earned === null ? owner.selfReferral : 'off';
  const selfReferral = selfReferralFor(rule, self, [purchase.payerEmail, buyer.email]);
  const sale: NewSale = {
    id: attributed.saleId,
    accountId: scope.accountId,
    programId: owner.programId,
    partnerId: owner.partnerId,
    linkId: owner.linkId,
    clickId: owner.clickId,
    customerId: buyer.id,
    paymentId: attributed.paymentId,
    eventName: purchase.eventName,
    invoiceId: purchase.invoiceId,
    paymentProcessor: purchase.processor,
    amount,
    grossAmount: purchase.grossMinor,
    currency: purchase.currency,
    presentmentAmount: purchase.presentment?.grossMinor ?? null,
    presentmentCurrency: purchase.presentment?.currency ?? null,
    paidLines: purchase.lines,
    statedAt: purchase.statedAt,
    commissionAmount: commission.amountMinor,
    terms,
    availableAt: earned?.availableAt ?? availableAt(purchase.occurredAt, terms.holdDays),
    review: selfReferral?.review ?? null,
    matchedBy: match.matchedBy,
    steps: [
      ...match.steps,
      { step: 'commission', value: String(commission.amountMinor), result: 'noted', reason: commission.reason },
      ...(selfReferral === null ? [] : [selfReferral.step]),
    ],
    metadata: purchase.metadata,
    isBare: purchase.isBare,
    occurredAt: purchase.occurredAt,
    createdAt: scope.now,
  };
  tx.unawaited(storeSale(tx, sale));
  await recordNewSale(tx, sale);
  await addCommission(tx, sale, earned?.commission.reason ?? null);
  return sale;
}

const termsOfCaller = ({ isGrossReported }: Purchase) => ({
  amountBasis: 'net' as const,
  isCallersAmount: true as const,
  ...(isGrossReported ? { isGrossReported: true as const } : {}),
});
const termsElsewhere = ({ refundedMinor }: EarnedElsewhere) => ({
  isEarnedElsewhere: true as const,
  ...(refundedMinor === 0 ? {} : { refundedElsewhere: refundedMinor }),
});

async function storeSale(tx: Transaction, sale: NewSale): Promise<void> {
  try {
    await insertSale(tx, sale);
  } catch (error) {
    throw isTaken(error, 'sales') ? duplicateInvoice(sale.invoiceId) : error;
  }
}

/** The error for a sale whose invoice id is already known. */
export function duplicateInvoice(invoiceId: string | null): ServiceError {
  const invoice = JSON.stringify(invoiceId);
  return new ServiceError(
    'DUPLICATE_INVOICE',
    `A sale with invoiceId ${invoice} was already recorded; nothing was counted again`,
  );
}

async function addCommission(tx: Transaction, sale: NewSale, reason: string | null): Promise<void> {
  const { commissionAmount, createdAt } = sale;
  const commission = { kind: 'commission', amountMinor: commissionAmount, reason } as const;
  await addEntries(tx, ownerOf(sale), commissionAmount > 0 ? [commission] : [], createdAt);
}
