import type { RefundedLine } from './refunded.ts';

/**
 * Stored as the currency of a failure that names none: ISO 4217's code for no currency, which no payment has. The refund
 * itself replaces it.
 */
export const NO_CURRENCY = 'xxx';

/** What all reports of one refund say together. Amounts are minor units of the refund's currency, times epoch milliseconds. */
export interface RefundState {
  /** Null while only a failure without an amount has been reported. */
  amount: number | null;
  /** The commissionable part of the amount; null when no report states it. */
  commissionable: number | null;
  /**
   * The lines in the amount; empty when no report states them. Null for a refund booked before lines were stored; it
   * stays null.
   */
  lines: readonly RefundedLine[] | null;
  /** Booked before refunds stated their commissionable part; it keeps its share of the gross. */
  isByShare: boolean;
  /** The processor's times of the latest success and of the latest failure. */
  refundedAt: number | null;
  failedAt: number | null;
}

/** The later report wins; at the same time, the success wins. */
export function hasFailed({ refundedAt, failedAt }: Pick<RefundState, 'refundedAt' | 'failedAt'>): boolean {
  return failedAt !== null && (refundedAt === null || refundedAt < failedAt);
}

/** A refund as it is stored, or a report of it. */
export interface RefundRecord extends RefundState {
  currency: string;
  /** True when the amounts come from the caller and no processor has reported any. */
  isFromCaller: boolean;
}

/**
 * Merges a further report. Amounts that are known stay, unless they are the caller's and the report is the processor's; the
 * order of the reports does not matter. Of reports in two currencies, one has all amounts: the processor's. Of a processor's
 * reports of two amounts, too: the greater, because a part of the refund that failed at first may be paid later.
 */
export function mergeRefund(known: RefundRecord, report: RefundRecord): RefundRecord {
  const isOneAmount = known.currency === report.currency && !isRaised(known, report) && !isRaised(report, known);
  return {
    ...(isOneAmount ? mergeAmounts(known, report) : amountsInOne(known, report)),
    isByShare: known.isByShare,
    refundedAt: latest(refundedAtOf(known), refundedAtOf(report)),
    failedAt: latest(known.failedAt, report.failedAt),
  };
}

/** Earlier versions stored when the caller reported a refund, which says nothing about when it succeeded. */
function refundedAtOf({ isFromCaller, isByShare, refundedAt }: RefundRecord): number | null {
  return isFromCaller && !isByShare ? null : refundedAt;
}

type RefundAmounts = Pick<RefundRecord, 'amount' | 'commissionable' | 'lines' | 'currency' | 'isFromCaller'>;

function mergeAmounts(known: RefundRecord, report: RefundRecord): RefundAmounts {
  return {
    amount: isOverruled(known, report) ? report.amount : (known.amount ?? report.amount),
    commissionable: known.isByShare ? null : (known.commissionable ?? report.commissionable),
    lines: known.lines?.length === 0 ? (report.lines ?? []) : known.lines,
    currency: known.currency,
    isFromCaller: [known, report].every(({ amount, isFromCaller }) => amount === null || isFromCaller),
  };
}

function amountsInOne(known: RefundRecord, report: RefundRecord): RefundAmounts {
  const isBetter =
    (known.amount === null && report.amount !== null) ||
    (isOverruled(known, report) && !known.isByShare) ||
    isRaised(known, report);
  const { amount, commissionable, lines, currency, isFromCaller } = isBetter ? report : known;
  return known.isByShare
    ? { amount, commissionable: null, lines: known.lines, currency, isFromCaller }
    : { amount, commissionable, lines, currency, isFromCaller };
}

/** Whether a processor reports the amount of what only the caller did. */
function isOverruled(known: RefundRecord, report: RefundRecord): boolean {
  return known.isFromCaller && !report.isFromCaller && report.amount !== null;
}

/** Whether a processor reports a greater amount of what a processor has reported. */
function isRaised(known: RefundRecord, report: RefundRecord): boolean {
  if (known.isFromCaller || report.isFromCaller || known.currency !== report.currency) return false;
  return known.amount !== null && report.amount !== null && report.amount > known.amount;
}

/** True when both take the same from their payment. */
export function takesTheSame(
  one: Omit<RefundRecord, 'isFromCaller'>,
  other: Omit<RefundRecord, 'isFromCaller'>,
): boolean {
  return (
    one.amount === other.amount &&
    one.currency === other.currency &&
    one.commissionable === other.commissionable &&
    one.lines?.length === other.lines?.length &&
    hasFailed(one) === hasFailed(other)
  );
}

/** A stored refund of a payment, under the id that its reporter gave it. */
export interface StoredRefund extends Omit<RefundState, 'isByShare'> {
  processor: string;
  kind: string;
  refundKey: string;
  currency: string;
  failed: boolean;
  /** Null when only the caller has reported the amounts. */
  deliveryId: string | null;
  /** When it was made, or else reported first. */
  occurredAt: number;
}

/** Shopify's refunds in two currencies are stored as one refund in each, with the currency behind the refund's own id. */
const PART = /^(gid:\/\/shopify\/Refund\/.+)#[a-z]{3}$/;

/** The ids of refunds that a processor reported in parts, which together have all of their amounts. */
export function idsInParts(refunds: readonly Pick<StoredRefund, 'refundKey'>[]): Set<string> {
  return new Set(refunds.map(({ refundKey }) => PART.exec(refundKey)?.[1]).filter((id) => id !== undefined));
}

/**
 * The refunds of a payment, each once. The caller's backend and a processor report the same refund under the same id,
 * but under different processor names when the backend reported the sale. The processor's amounts win.
 */
export function distinctRefunds<Refund extends StoredRefund>(refunds: readonly Refund[]): Refund[] {
  const inParts = idsInParts(refunds);
  const counted = refunds.filter(({ refundKey }) => !inParts.has(refundKey));
  if (new Set(counted.map(({ refundKey }) => refundKey)).size === counted.length) return counted;
  const byId = Map.groupBy(counted, ({ kind, refundKey }) => `${kind} ${refundKey}`);
  return [...byId.values()].map((reports) => reports.toSorted(byReporter).reduce(sameRefund));
}

/** The caller's own report is the last: what it says must not depend on the order in which rows are read. */
function byReporter(one: StoredRefund, other: StoredRefund): number {
  const isLast = (refund: StoredRefund) => Number(refund.deliveryId === null);
  return isLast(one) - isLast(other) || (one.processor < other.processor ? -1 : 1);
}

function sameRefund<Refund extends StoredRefund>(first: Refund, second: Refund): Refund {
  const { amount, commissionable, lines, currency, deliveryId } = first.amount === null ? second : first;
  const times = {
    refundedAt: latest(first.refundedAt, second.refundedAt),
    failedAt: latest(first.failedAt, second.failedAt),
  };
  const occurredAt = Math.min(first.occurredAt, second.occurredAt);
  return {
    ...first,
    amount,
    commissionable,
    lines,
    currency,
    deliveryId,
    ...times,
    failed: hasFailed(times),
    occurredAt,
  };
}

function latest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
