import type { MatchedBy, TraceStep } from '../core/attribution.ts';
import { availableAt, commissionFor, type SaleTerms } from '../core/commission.ts';
import { selfReferralFor } from '../core/self-referral.ts';
import type { Commission } from '../core/terms.ts';
import { ServiceError } from '../errors.ts';
import { addEntries } from '../ledger/entries.ts';
import type { Transaction } from '../storage/database.ts';
import { findCustomerEmail } from './queries/customers.ts';
import type { Owner } from './queries/owners.ts';
import { firstSaleAt, insertSale, type NewSale } from './queries/sales.ts';
import { settleWaiting } from './settle-waiting.ts';

/** A payment whose partner is known. Amounts are minor units of `currency`. */
export interface AttributedPayment {
  saleId: string;
  accountId: string;
  paymentId: string;
  customerId: string;
  /** The e-mail address that came with the payment; the stored customer may have another. */
  payerEmail: string | null;
  owner: Owner;
  eventName: string;
  invoiceId: string | null;
  paymentProcessor: string;
  netMinor: number;
  grossMinor: number;
  currency: string;
  presentment: { currency: string; grossMinor: number } | null;
  matchedBy: MatchedBy | 'by_hand';
  steps: TraceStep[];
  metadata: Record<string, unknown> | null;
  occurredAt: number;
}

/**
 * Stores a sale with its trace, its commission as a ledger entry, and the partner's queued payout.
 *
 * The caller holds the payment's row and counts it. Terms are those of this moment; the hold counts from the payment.
 * What the program's guard takes for a self-referral is flagged, or rejected: then the commission is taken back at once.
 *
 * @throws ServiceError `DUPLICATE_INVOICE` when the account has a sale with this invoice id
 */
export async function recordSale(tx: Transaction, payment: AttributedPayment, now: number): Promise<NewSale> {
  const { owner } = payment;
  const terms = termsOf(owner);
  const amount = terms.amountBasis === 'gross' ? payment.grossMinor : payment.netMinor;
  const first = terms.durationMonths === null ? null : await firstSaleAt(tx, payment.customerId);
  const commission = commissionFor(
    { amountMinor: amount, currency: payment.currency, occurredAt: payment.occurredAt },
    terms,
    first,
  );
  const selfReferral = await selfReferralOf(tx, payment);
  const sale: NewSale = {
    id: payment.saleId,
    accountId: payment.accountId,
    programId: owner.programId,
    partnerId: owner.partnerId,
    linkId: owner.linkId,
    clickId: owner.clickId,
    customerId: payment.customerId,
    paymentId: payment.paymentId,
    eventName: payment.eventName,
    invoiceId: payment.invoiceId,
    paymentProcessor: payment.paymentProcessor,
    amount,
    grossAmount: payment.grossMinor,
    currency: payment.currency,
    presentmentAmount: payment.presentment?.grossMinor ?? null,
    presentmentCurrency: payment.presentment?.currency ?? null,
    commissionAmount: commission.amountMinor,
    terms: JSON.stringify(terms),
    availableAt: availableAt(payment.occurredAt, terms.holdDays),
    review: selfReferral?.review ?? null,
    matchedBy: payment.matchedBy,
    steps: JSON.stringify([
      ...payment.steps,
      { step: 'commission', value: String(commission.amountMinor), result: 'noted', reason: commission.reason },
      ...(selfReferral === null ? [] : [selfReferral.step]),
    ] satisfies TraceStep[]),
    metadata: payment.metadata === null ? null : JSON.stringify(payment.metadata),
    occurredAt: payment.occurredAt,
    createdAt: now,
  };
  if (!(await insertSale(tx, sale))) throw duplicateInvoice(payment.invoiceId);
  await earn(tx, sale);
  if (sale.review === 'rejected') await settleWaiting(tx, { accountId: sale.accountId, now }, sale.id);
  return sale;
}

/** The error of a sale whose invoice is known. */
export function duplicateInvoice(invoiceId: string | null): ServiceError {
  const invoice = JSON.stringify(invoiceId);
  return new ServiceError(
    'DUPLICATE_INVOICE',
    `A sale with invoiceId ${invoice} was already recorded; nothing was counted again`,
  );
}

async function selfReferralOf(tx: Transaction, { owner, customerId, payerEmail }: AttributedPayment) {
  if (owner.selfReferral === 'off') return null;
  const emails = [payerEmail, await findCustomerEmail(tx, customerId)];
  return selfReferralFor(owner.selfReferral, { id: owner.partnerId, email: owner.partnerEmail }, emails);
}

async function earn(tx: Transaction, sale: NewSale): Promise<void> {
  const { id: saleId, commissionAmount, createdAt } = sale;
  const commission = { kind: 'commission', amountMinor: commissionAmount, reason: null } as const;
  await addEntries(tx, { ...ownerOf(sale), saleId }, commissionAmount > 0 ? [commission] : [], createdAt);
}

function ownerOf({ accountId, programId, partnerId, currency, availableAt }: NewSale) {
  return { accountId, programId, partnerId, currency, availableAt };
}

/** The most specific commission wins: the link's, then the partner's, then the program's. */
function termsOf(owner: Owner): SaleTerms {
  const { durationMonths, holdDays, amountBasis } = owner;
  const [source, commission] =
    owner.linkCommission !== null
      ? (['link', owner.linkCommission] as const)
      : owner.partnerCommission !== null
        ? (['partner', owner.partnerCommission] as const)
        : (['program', owner.programCommission] as const);
  return { commission: JSON.parse(commission) as Commission, source, durationMonths, holdDays, amountBasis };
}
