import { NO_HINTS } from '../../adapters/contract/readers.ts';
import type { Service } from '../../src/app/service.ts';
import type {
  CustomerHints,
  CustomerIdentified,
  Fact,
  Interpretation,
  PaymentDisputed,
  PaymentReceived,
  PaymentReferenced,
  PaymentRefunded,
  PaymentRefundUndone,
} from '../../src/core/facts.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { FactOutcome } from '../../src/core/outcome.ts';
import type { Processor } from '../../src/core/processor.ts';
import { applyInterpretation } from '../../src/payments/apply-facts.ts';
import { asId } from './ids.ts';

/** 1 November 2026: facts have their own time, whenever they arrive. */
const OCCURRED_AT = Date.UTC(2026, 10, 1);

/** Hints at a person; `externalId` and `clickId` are put into metadata. */
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

/** 120.00 paid, of which 20.00 is tax; the first reference is the invoice. */
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

/** Which invoice of Stripe a report names beside what paid it. */
export function ofInvoice(id: string): Pick<PaymentReferenced, 'paidInvoice'> {
  return { paidInvoice: { id, idPrefix: 'in_' } };
}

export function identified(customer: CustomerHints, changes: Partial<CustomerIdentified> = {}): CustomerIdentified {
  return { kind: 'customer.identified', customer, occurredAt: OCCURRED_AT, ...changes };
}

export function refunded(references: string[], refund: PaymentRefunded['refund'], currency = 'usd'): PaymentRefunded {
  return { kind: 'payment.refunded', references, refund, currency, occurredAt: OCCURRED_AT };
}

/** The refund failed a minute after `refunded`. */
export function refundUndone(references: string[], refundId: string, amountMinor: number | null): PaymentRefundUndone {
  return {
    kind: 'payment.refund_undone',
    references,
    refundId,
    amountMinor,
    currency: 'usd',
    occurredAt: OCCURRED_AT + 60_000,
  };
}

/** A dispute, opened, and decided a minute later. */
export function disputed(
  references: string[],
  disputeId: string,
  amountMinor: number,
  state: PaymentDisputed['state'],
): PaymentDisputed {
  const occurredAt = OCCURRED_AT + (state === 'open' ? 0 : 60_000);
  return { kind: 'payment.disputed', references, disputeId, amountMinor, currency: 'usd', state, occurredAt };
}

/** Applies facts as one delivery of Stripe would, without a delivery. */
export function applyFacts(service: Service, accountId: AccountId, ...facts: Fact[]): Promise<FactOutcome> {
  return applyFactsOf('stripe', service, accountId, ...facts);
}

/** Like `applyFacts`, for a delivery of another processor. */
export function applyFactsOf(
  processor: Processor,
  service: Service,
  accountId: AccountId,
  ...facts: Fact[]
): Promise<FactOutcome> {
  return applyDelivery(processor, service, accountId, { kind: 'facts', facts });
}

/** Applies what a delivery says, without the delivery. */
export function applyDelivery(
  processor: Processor,
  service: Service,
  accountId: AccountId,
  interpretation: Interpretation,
): Promise<FactOutcome> {
  const scope = {
    accountId,
    processor,
    deliveryId: asId<'dlv'>('dlv_none'),
    endpointId: null,
    parkedDays: service.parkedDays,
    now: service.clock(),
  };
  return service.database.write((tx) => applyInterpretation(tx, scope, interpretation));
}
