import { NO_HINTS } from '../../adapters/contract/readers.ts';
import type { Service } from '../../src/app/service.ts';
import type {
  CustomerHints,
  CustomerIdentified,
  Fact,
  PaymentDisputed,
  PaymentReceived,
  PaymentReferenced,
  PaymentRefunded,
  PaymentRefundUndone,
} from '../../src/core/facts.ts';
import { applyInterpretation } from '../../src/payments/apply-facts.ts';
import type { FactOutcome } from '../../src/payments/receive-payment.ts';

/** 1 November 2026: facts happen at a moment of their own, whenever they arrive. */
const OCCURRED_AT = Date.UTC(2026, 10, 1);

/** Hints of a person; `externalId` and `clickId` stand in metadata. */
export function hints(person: Partial<CustomerHints> & { externalId?: string; clickId?: string }): CustomerHints {
  const { externalId, clickId, ...rest } = person;
  const place = 'metadata';
  return {
    ...NO_HINTS,
    ...rest,
    externalIds: externalId === undefined ? [] : [{ value: externalId, place }],
    clickIds: clickId === undefined ? [] : [{ value: clickId, place }],
  };
}

/** 120.00 paid, of which 20.00 tax; the first reference is the invoice. */
export function received(
  references: [string, ...string[]],
  customer: CustomerHints,
  changes: Partial<PaymentReceived> = {},
): PaymentReceived {
  return {
    kind: 'payment.received',
    references,
    invoiceId: references[0],
    grossMinor: 12_000,
    netMinor: 10_000,
    taxMinor: 2_000,
    shippingMinor: 0,
    currency: 'usd',
    presentment: null,
    recurring: false,
    customer,
    discountCodes: [],
    occurredAt: OCCURRED_AT,
    ...changes,
  };
}

export function referenced(...references: string[]): PaymentReferenced {
  return { kind: 'payment.referenced', references };
}

export function identified(customer: CustomerHints): CustomerIdentified {
  return { kind: 'customer.identified', customer, occurredAt: OCCURRED_AT };
}

export function refunded(references: string[], refund: PaymentRefunded['refund'], currency = 'usd'): PaymentRefunded {
  return { kind: 'payment.refunded', references, refund, currency, occurredAt: OCCURRED_AT };
}

export function refundUndone(references: string[], refundId: string, amountMinor: number | null): PaymentRefundUndone {
  return {
    kind: 'payment.refund_undone',
    references,
    refundId,
    amountMinor,
    currency: 'usd',
    occurredAt: OCCURRED_AT,
  };
}

/** Opened, and decided a minute later. */
export function disputed(
  references: string[],
  disputeId: string,
  amountMinor: number,
  state: PaymentDisputed['state'],
): PaymentDisputed {
  const occurredAt = OCCURRED_AT + (state === 'open' ? 0 : 60_000);
  return { kind: 'payment.disputed', references, disputeId, amountMinor, currency: 'usd', state, occurredAt };
}

/** Feeds facts as one delivery of Stripe would bring them, without the delivery. */
export function applyFacts(service: Service, accountId: string, ...facts: Fact[]): Promise<FactOutcome> {
  const scope = {
    accountId,
    processor: 'stripe',
    deliveryId: 'dlv_none',
    parkedDays: service.parkedDays,
    now: service.clock(),
  };
  return service.database.write((tx) => applyInterpretation(tx, scope, { kind: 'facts', facts }));
}
