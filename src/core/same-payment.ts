import type { CustomerHints, Hint, PaymentAnnounced, PaymentReceived, PaymentReferenced } from './facts.ts';
import { multiplyRatio } from './money.ts';
import { paymentIn } from './presentment.ts';

/** What is known about a payment before its money is reported. */
export interface AwaitedReport {
  announced: PaymentAnnounced | null;
  /** Money that has arrived without an announcement so far. */
  captured: Capture | null;
  /** Who paid, reported by reference only. */
  customer: CustomerHints | null;
  /** Codes reported by reference only; earlier versions stored none. */
  discountCodes?: string[];
  /** The invoice that its references are known to have paid; absent where none is. */
  invoiceId?: string;
}

/** What a report by reference says about the payment itself. */
export type Referenced = Pick<PaymentReferenced, 'customer' | 'discountCodes'>;

/** Money that arrived, in minor units. */
export interface Capture {
  amountMinor: number;
  currency: string;
  occurredAt: number;
}

/**
 * Merges another delivery's statements about the customer of the same payment. Keeps the amounts, invoice and time of
 * `payment`, except the amounts of a bare report or of one written later. Combines hints, codes and references, those
 * of `payment` first.
 */
export function withHintsOf(payment: PaymentReceived, other: PaymentReceived): PaymentReceived {
  return {
    ...withoutPrograms(hasBetterAmounts(other, payment) ? withAmountsOf(payment, other) : payment),
    references: [...new Set([...payment.references, ...other.references])],
    customer: mergeHints(payment.customer, other.customer),
    discountCodes: [...new Set([...payment.discountCodes, ...other.discountCodes])],
    ...programsOf(payment, other),
    ...invoiceOf(payment, paidInvoiceIdOf(other)),
  };
}

/** The invoice that a payment is known to have paid. */
export function paidInvoiceIdOf({ paidInvoice, paidInvoiceId }: PaymentReceived): string | undefined {
  return paidInvoice?.id ?? paidInvoiceId;
}

/** What a payment learns from another report of it, which names this invoice. */
function invoiceOf(payment: PaymentReceived, invoiceId: string | undefined): Pick<PaymentReceived, 'paidInvoiceId'> {
  return invoiceId === undefined || paidInvoiceIdOf(payment) !== undefined ? {} : { paidInvoiceId: invoiceId };
}

function withoutPrograms({ onlyPrograms: _, ...payment }: PaymentReceived): PaymentReceived {
  return payment;
}

/** The programs for which either report came; no limit if one came for any program. */
function programsOf(one: PaymentReceived, other: PaymentReceived): Pick<PaymentReceived, 'onlyPrograms'> {
  if (one.onlyPrograms === undefined || other.onlyPrograms === undefined) return {};
  return { onlyPrograms: [...new Set([...one.onlyPrograms, ...other.onlyPrograms])] };
}

/**
 * Merges two reports of one payment, the earlier first; either may be the caller's. Only a processor knows when the
 * payment was made, so the time is the earliest that it reports.
 */
export function mergeReports(earlier: PaymentReceived, later: PaymentReceived): PaymentReceived {
  const merged = mergeAmountsAndHints(earlier, later);
  const timed = [earlier, later].filter(({ order }) => order === undefined || order.isTimeReported);
  return timed.reduce(withTimeOf, merged);
}

/** Moves the caller's report to the time that a processor reports, unless it has an earlier one of a processor. */
function withTimeOf(payment: PaymentReceived, { occurredAt }: { occurredAt: number }): PaymentReceived {
  const { order } = payment;
  if (order === undefined || (order.isTimeReported && payment.occurredAt <= occurredAt)) return payment;
  return { ...payment, occurredAt, order: { ...order, isTimeReported: true } };
}

function mergeAmountsAndHints(earlier: PaymentReceived, later: PaymentReceived): PaymentReceived {
  if (earlier.order !== undefined && later.order === undefined) return withOrder(later, earlier);
  if (earlier.order === undefined && later.order !== undefined) return withOrder(earlier, later);
  // the caller reported the payment under two names, and a processor its total under one of them
  if (later.order?.isGrossReported && !earlier.order?.isGrossReported) return withOrder(later, earlier);
  return withHintsOf(earlier, later);
}

/**
 * Merges a processor's report with the caller's: the caller's invoice, net amount and hints come first, and the total
 * comes from the processor when it states it in the caller's currency.
 */
function withOrder(stated: PaymentReceived, caller: PaymentReceived): PaymentReceived {
  const known = withHintsOf(caller, stated);
  const reported = paymentIn(caller.currency, stated);
  // a caller's report that was merged with an earlier report of the processor carries that report's `statedAt`, and whether
  // its total was that of a bare report
  if (reported.currency !== caller.currency || isWrittenBefore(caller, reported)) return known;
  if (reported.isBare && caller.order?.isGrossReported && !caller.isBare) return known;
  const { isBare: _, ...merged } = known;
  const { grossMinor, taxMinor, shippingMinor, presentment, isBare } = reported;
  const order = merged.order && { ...merged.order, isGrossReported: true as const };
  const amounts = { grossMinor, taxMinor, shippingMinor, presentment, ...basisOf(reported) };
  return { ...merged, ...amounts, ...(isBare ? { isBare } : {}), ...(order === undefined ? {} : { order }) };
}

/** Merges what is known of an awaited payment into the report of its money. */
export function withAwaited(
  reported: PaymentReceived,
  { announced, captured, customer, discountCodes = [], invoiceId }: AwaitedReport,
): PaymentReceived {
  const paid = { ...reported, ...invoiceOf(reported, invoiceId) };
  const payment = captured === null ? paid : withCaptured(paid, captured);
  const merged = announced === null ? payment : withHintsOf(payment, asReceived(announced, payment));
  return withReferenced(merged, { ...(customer === null ? {} : { customer }), discountCodes });
}

/**
 * The caller's report of a payment, with the time and the total that its processor captured, unless a processor has
 * reported them.
 */
export function withCaptured(reported: PaymentReceived, capture: Capture): PaymentReceived {
  const { amountMinor, currency } = capture;
  const payment = withTimeOf(reported, capture);
  const { order } = payment;
  if (order === undefined || isTotalReported(payment) || currency !== payment.currency) return payment;
  return { ...payment, grossMinor: amountMinor, order: { ...order, isGrossReported: true } };
}

/** True unless the total is the amount that the caller's backend reported. Earlier versions did not store whose it is. */
export function isTotalReported({ order, grossMinor, netMinor }: PaymentReceived): boolean {
  return order === undefined || order.isGrossReported === true || grossMinor !== netMinor;
}

/** Adds hints at the customer and codes, after those of the payment. */
export function withReferenced(
  payment: PaymentReceived,
  { customer, discountCodes = [] }: Referenced,
): PaymentReceived {
  return {
    ...payment,
    customer: customer === undefined ? payment.customer : mergeHints(payment.customer, customer),
    discountCodes: [...new Set([...payment.discountCodes, ...discountCodes])],
  };
}

/** Who pays an awaited payment; null when nothing is known about them. */
export function payerOfAwaited({ announced, customer }: AwaitedReport): CustomerHints | null {
  const known = [announced?.customer, customer].filter((hints) => hints != null);
  return known.length === 0 ? null : known.reduce(mergeHints);
}

/** Combines two deliveries' reports of an awaited payment, the earlier first. */
export function mergeAwaited(one: AwaitedReport, other: AwaitedReport): AwaitedReport {
  const customers = [one.customer, other.customer].filter((customer) => customer !== null);
  const discountCodes = [...new Set([...(one.discountCodes ?? []), ...(other.discountCodes ?? [])])];
  const invoiceId = one.invoiceId ?? other.invoiceId;
  return {
    announced: mergeAnnounced(one.announced, other.announced),
    captured: one.captured ?? other.captured,
    customer: customers.length === 0 ? null : customers.reduce(mergeHints),
    ...(discountCodes.length === 0 ? {} : { discountCodes }),
    ...(invoiceId === undefined ? {} : { invoiceId }),
  };
}

/** Two endpoints may announce one payment, each for its own program. Keeps the amounts of the first. */
function mergeAnnounced(one: PaymentAnnounced | null, other: PaymentAnnounced | null): PaymentAnnounced | null {
  if (one === null || other === null) return one ?? other;
  return { ...withHintsOf(asReceived(one, one), asReceived(other, other)), kind: 'payment.announced' };
}

/** Turns an announced payment into a received one. Net, tax and shipping are scaled to the captured amount. */
export function captureAnnounced(announced: PaymentAnnounced, capture: Capture): PaymentReceived {
  const { amountMinor: grossMinor, currency, occurredAt } = capture;
  return { ...asReceived(announced, { grossMinor, currency }), occurredAt };
}

function asReceived(
  announced: PaymentAnnounced,
  { grossMinor, currency }: Pick<PaymentReceived, 'grossMinor' | 'currency'>,
): PaymentReceived {
  const received: PaymentReceived = { ...announced, kind: 'payment.received' };
  if (currency !== announced.currency) return received;
  const share = (amountMinor: number) => multiplyRatio(amountMinor, grossMinor, announced.grossMinor);
  return {
    ...received,
    grossMinor,
    netMinor: share(announced.netMinor),
    taxMinor: share(announced.taxMinor),
    shippingMinor: share(announced.shippingMinor),
  };
}

/**
 * Whether `other` has better amounts. The caller's amounts always stay; otherwise a complete report beats a bare one,
 * and a report written earlier beats a later one.
 */
function hasBetterAmounts(other: PaymentReceived, payment: PaymentReceived): boolean {
  if (payment.order !== undefined) return false;
  return payment.isBare ? !other.isBare : isWrittenBefore(other, payment);
}

/** A report in another currency has no amounts for this payment. */
function withAmountsOf(payment: PaymentReceived, other: PaymentReceived): PaymentReceived {
  if (payment.currency !== other.currency) return payment;
  const { isBare: _, lines: __, statedAt: ___, ...rest } = payment;
  const { grossMinor, netMinor, taxMinor, shippingMinor, presentment } = other;
  return { ...rest, grossMinor, netMinor, taxMinor, shippingMinor, presentment, ...basisOf(other) };
}

/** The lines that a report's amounts paid for, and when the report was written. */
function basisOf({ lines, statedAt }: PaymentReceived): Pick<PaymentReceived, 'lines' | 'statedAt'> {
  return { ...(lines === undefined ? {} : { lines }), ...(statedAt === undefined ? {} : { statedAt }) };
}

interface Written {
  statedAt?: number | null | undefined;
}

/** True when the processor wrote `one` before `other`, and therefore before the change that `other` reports. */
export function isWrittenBefore(one: Written, other: Written): boolean {
  return one.statedAt != null && other.statedAt != null && one.statedAt < other.statedAt;
}

function mergeHints(hints: CustomerHints, others: CustomerHints): CustomerHints {
  return {
    externalIds: distinctHints([...hints.externalIds, ...others.externalIds]),
    clickIds: distinctHints([...hints.clickIds, ...others.clickIds]),
    processorCustomerId: hints.processorCustomerId ?? others.processorCustomerId,
    subscriptionId: hints.subscriptionId ?? others.subscriptionId,
    email: hints.email ?? others.email,
    name: hints.name ?? others.name,
    ...avatarOf(hints, others),
  };
}

function avatarOf({ avatar }: CustomerHints, others: CustomerHints): Pick<CustomerHints, 'avatar'> {
  const known = avatar ?? others.avatar;
  return known === undefined ? {} : { avatar: known };
}

function distinctHints(hints: readonly Hint[]): Hint[] {
  return hints.filter((hint, index) => hints.findIndex(({ value }) => value === hint.value) === index);
}
