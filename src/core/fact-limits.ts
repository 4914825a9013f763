/** The limits that every fact must satisfy, whichever adapter produced it. */

import type {
  CustomerHints,
  Fact,
  Interpretation,
  Noted,
  PaymentAnnounced,
  PaymentReceived,
  PaymentReferenced,
  PaymentRefundUndone,
} from './facts.ts';
import { AMOUNT_MAX, parseCurrency } from './money.ts';
import type { RefundedById, RefundedLine, RefundedSoFar } from './refunded.ts';
import { isLongerThan } from './text-length.ts';

const TEXT_MAX = 255;
const NOTE_MAX = 1000;
/** Limited because each code, hint and reference costs a lookup. */
const TEXTS_MAX = 100;
const INVOICE_NOT_NAMED = 'the invoice id is not among the references';
/** Lines of one payment or refund. Keeps the rows that store them small. */
export const LINES_MAX = 500;
const QUANTITY_MAX = 1_000_000_000;
/** 31 December 9999, 23:59:59.999: no later value is a plausible time. */
const TIME_MAX = 253_402_300_799_999;

/**
 * Returns the interpretation unchanged when every fact satisfies the rules of `facts.ts`; otherwise `unknown` with the
 * flaw. One flawed fact makes the whole delivery unknown, because the other facts would tell only half of what
 * happened.
 */
export function enforceFactLimits(interpretation: Interpretation): Interpretation {
  if (interpretation.kind !== 'facts') return interpretation;
  for (const fact of interpretation.facts) {
    const flaw = flawOf(fact);
    if (flaw !== null) return { kind: 'unknown', reason: `${fact.kind}: ${flaw}` };
  }
  return interpretation;
}

/** What is wrong with a fact, for the operator: `the net amount is −5, not from 0 to 1999`. Null when it is valid. */
export function flawOf(fact: Fact): string | null {
  if (fact.kind === 'noted') return textFlaw('the note', fact.what, NOTE_MAX);
  const flaws = [
    'references' in fact && fact.references !== undefined ? referencesFlaw(fact.references) : null,
    'currency' in fact && fact.currency !== null ? currencyFlaw(fact.currency) : null,
    'customer' in fact && fact.customer !== undefined ? hintsFlaw(fact.customer) : null,
    'occurredAt' in fact ? integerFlaw('the time', fact.occurredAt, 0, TIME_MAX) : null,
    'madeAt' in fact ? integerFlaw('the time of the refund', fact.madeAt ?? 0, 0, TIME_MAX) : null,
    amountsFlaw(fact),
  ];
  return firstFlaw(flaws);
}

function amountsFlaw(fact: Exclude<Fact, Noted>): string | null {
  switch (fact.kind) {
    case 'payment.received':
      return paymentFlaw(fact) ?? paidInvoiceFlaw(fact);
    case 'payment.announced':
      return paymentFlaw(fact);
    case 'payment.captured':
      return integerFlaw('the amount', fact.amountMinor, 1, AMOUNT_MAX);
    case 'payment.referenced':
      return referencedFlaw(fact);
    case 'payment.refunded':
      return 'refundId' in fact.refund ? refundFlaw(fact.refund) : refundedSoFarFlaw(fact.refund);
    case 'payment.refund_undone':
      return undoneFlaw(fact);
    case 'payment.disputed':
      return textFlaw('the dispute id', fact.disputeId) ?? amountFlaw('the amount', fact.amountMinor);
    case 'customer.identified':
      return codesFlaw(fact.discountCodes ?? []);
    case 'customer.erased':
    case 'endpoint.erased':
      return null;
  }
}

function referencedFlaw(fact: PaymentReferenced): string | null {
  const { references, customer, discountCodes = [] } = fact;
  if (references.length === 1 && customer === undefined) return 'a single reference joins nothing';
  return paidInvoiceFlaw(fact) ?? codesFlaw(discountCodes);
}

function paidInvoiceFlaw({ references, paidInvoice }: Pick<PaymentReferenced, 'references' | 'paidInvoice'>) {
  return paidInvoice === undefined || references.includes(paidInvoice.id) ? null : INVOICE_NOT_NAMED;
}

function codesFlaw(discountCodes: readonly string[]): string | null {
  return listFlaw('discount codes', discountCodes) ?? firstTextFlaw('a discount code', discountCodes);
}

function refundFlaw(refund: RefundedById): string | null {
  const { refundId, amountMinor, commissionableMinor = 0, lines = [] } = refund;
  return (
    textFlaw('the refund id', refundId) ??
    chargeFlaw(refund) ??
    amountFlaw('the amount', amountMinor) ??
    integerFlaw('the commissionable part', commissionableMinor, 0, amountMinor) ??
    listFlaw('lines', lines, LINES_MAX) ??
    firstFlaw(lines.map(refundedLineFlaw))
  );
}

function refundedSoFarFlaw(refund: RefundedSoFar): string | null {
  return (
    amountFlaw('the cumulative amount', refund.cumulativeAmountMinor) ??
    amountFlaw('the released amount', refund.releasedMinor ?? 0) ??
    chargeFlaw(refund)
  );
}

function undoneFlaw(undone: PaymentRefundUndone): string | null {
  const { refundId, amountMinor, currency } = undone;
  if (amountMinor !== null && currency === null) return 'the amount has no currency';
  return textFlaw('the refund id', refundId) ?? amountFlaw('the amount', amountMinor ?? 0) ?? chargeFlaw(undone);
}

function chargeFlaw({ chargeId }: { chargeId?: string }): string | null {
  return chargeId === undefined ? null : textFlaw('the id of the charge', chargeId);
}

function refundedLineFlaw({ lineId, quantity, amountMinor, commissionableMinor }: RefundedLine): string | null {
  return (
    lineFlaw(lineId ?? 'none', quantity) ??
    amountFlaw('the amount of a line', amountMinor) ??
    integerFlaw('the commissionable part of a line', commissionableMinor, 0, amountMinor)
  );
}

function lineFlaw(lineId: string, quantity: number): string | null {
  return textFlaw('the id of a line', lineId) ?? integerFlaw('the quantity of a line', quantity, 1, QUANTITY_MAX);
}

function paymentFlaw(payment: PaymentReceived | PaymentAnnounced): string | null {
  const { references, invoiceId, grossMinor, netMinor, taxMinor, shippingMinor, presentment, discountCodes } = payment;
  const lines = Object.entries(payment.lines ?? {});
  const flaws = [
    integerFlaw('the gross amount', grossMinor, 1, AMOUNT_MAX),
    integerFlaw('the net amount', netMinor, 0, grossMinor),
    amountFlaw('the tax', taxMinor),
    amountFlaw('the shipping', shippingMinor),
    presentment && currencyFlaw(presentment.currency),
    presentment && integerFlaw('the gross amount as presented', presentment.grossMinor, 1, AMOUNT_MAX),
    invoiceId !== null && references.includes(invoiceId) ? null : INVOICE_NOT_NAMED,
    codesFlaw(discountCodes),
    integerFlaw('the time of the report', payment.statedAt ?? 0, 0, TIME_MAX),
    listFlaw('lines', lines, LINES_MAX),
    ...lines.map(([lineId, quantity]) => lineFlaw(lineId, quantity)),
  ];
  return firstFlaw(flaws);
}

function referencesFlaw(references: readonly string[]): string | null {
  if (references.length === 0) return 'no reference names the payment';
  if (new Set(references).size !== references.length) return 'a reference is repeated';
  return listFlaw('references', references) ?? firstTextFlaw('a reference', references);
}

function hintsFlaw({ externalIds, clickIds, email, ...ids }: CustomerHints): string | null {
  if (email !== null && email !== email.toLowerCase()) return 'the e-mail address is not in lower case';
  const tooMany = listFlaw('customer ids', externalIds) ?? listFlaw('click ids', clickIds);
  if (tooMany !== null) return tooMany;
  const hints = [...externalIds, ...clickIds].flatMap(({ value, place }) => [value, place]);
  const others = [email, ids.processorCustomerId, ids.subscriptionId, ids.name].filter((text) => text !== null);
  return firstTextFlaw('a hint at the customer', [...hints, ...others]);
}

function listFlaw(what: string, entries: readonly unknown[], entriesMax = TEXTS_MAX): string | null {
  return entries.length > entriesMax ? `there are ${entries.length} ${what}, and at most ${entriesMax} are used` : null;
}

function firstTextFlaw(what: string, texts: readonly string[]): string | null {
  return firstFlaw(texts.map((text) => textFlaw(what, text)));
}

function firstFlaw(flaws: readonly (string | null)[]): string | null {
  return flaws.find((flaw) => flaw !== null) ?? null;
}

function currencyFlaw(code: string): string | null {
  return parseCurrency(code) === code
    ? null
    : `the currency ${JSON.stringify(code.slice(0, TEXT_MAX))} is not in ISO 4217`;
}

function amountFlaw(what: string, amountMinor: number): string | null {
  return integerFlaw(what, amountMinor, 0, AMOUNT_MAX);
}

function integerFlaw(what: string, value: number, min: number, max: number): string | null {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) return `${what} is ${value}, not a safe integer`;
  return value >= min && value <= max ? null : `${what} is ${value}, not from ${min} to ${max}`;
}

/** Checks that both engines can store the text and that an index can find it. */
function textFlaw(what: string, text: string, charactersMax = TEXT_MAX): string | null {
  if (text === '' || text !== text.trim()) return `${what} is empty or not trimmed`;
  if (isLongerThan(text, charactersMax)) return `${what} has more than ${charactersMax} characters`;
  return text.includes('\0') || !text.isWellFormed() ? `${what} contains NUL or malformed Unicode` : null;
}
