import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import {
  amountField,
  currencyField,
  emailField,
  httpUrlField,
  metadataField,
  optional,
  parseInput,
  paymentProcessorField,
  text,
} from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { PaymentReceived } from '../core/facts.ts';
import { createId } from '../ids.ts';
import { changeOutcome } from '../inbox/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeWaitingFor, attributeWaitingForEmail } from './attribute-waiting.ts';
import { bindCustomer, type Scope } from './customers.ts';
import { addReferences, claimPayments } from './join-payments.ts';
import { claimsOfPerson, profileOf, requireClick } from './lead.ts';
import { type CustomerRow, findCustomer } from './queries/customers.ts';
import type { Owner } from './queries/owners.ts';
import { clearParkedHints } from './queries/parked-hints.ts';
import { countPayment, findPaymentsByInvoice, insertPayment, type PaymentRow } from './queries/payments.ts';
import type { NewSale } from './queries/sales.ts';
import { duplicateInvoice, recordSale } from './record-sale.ts';
import { settleWaiting } from './settle-waiting.ts';
import { completeSale, parkedFactOf } from './told-again.ts';

/** Specification 2.3, with its defaults. */
const saleInput = z.object({
  clickId: text(),
  customerExternalId: text(),
  amount: amountField,
  currency: optional(currencyField).transform((currency) => currency ?? 'usd'),
  eventName: optional(text()).transform((name) => name ?? 'Purchase'),
  invoiceId: optional(text()),
  paymentProcessor: optional(paymentProcessorField).transform((processor) => processor ?? 'custom'),
  customerEmail: optional(emailField),
  customerName: optional(text()),
  customerAvatar: optional(httpUrlField),
  metadata: optional(metadataField),
});

type SaleInput = z.output<typeof saleInput>;

export interface TrackedSale {
  sale: NewSale;
  customer: CustomerRow;
}

/**
 * Records a sale that the caller's backend reports (specification 4.2). The given click decides the partner; the
 * customer is created when no lead came before. A parked payment of the same invoice is taken over, with its references
 * and the refunds that wait for it.
 *
 * @throws ServiceError `VALIDATION_ERROR`, `INVALID_CLICK_ID`, `DUPLICATE_INVOICE`; either leaves nothing behind
 */
export async function trackSale(service: Service, accountId: string, body: unknown): Promise<TrackedSale> {
  const input = parseInput(saleInput, body);
  const scope = { accountId, now: service.clock() };
  const { invoiceId } = input;
  return service.database.write(async (tx) => {
    const keys = claimsOfPerson(accountId, input);
    await tx.claim(() => (invoiceId === null ? keys : [...keys, claimKeys.reference(accountId, invoiceId)]));
    const owner = await requireClick(tx, accountId, input.clickId);
    const waiting = invoiceId === null ? null : await findWaiting(tx, accountId, invoiceId);
    const { customer, isNew } = await bindCustomer(tx, scope, input.customerExternalId, owner, profileOf(input));
    const sale = await store(tx, scope, input, owner, customer, waiting);
    if (isNew) {
      await attributeWaitingFor(tx, scope, { ...customer, externalId: input.customerExternalId });
      // a processor may have told of the customer before
      return { sale, customer: (await findCustomer(tx, accountId, input.customerExternalId)) ?? customer };
    }
    if (input.customerEmail !== null) await attributeWaitingForEmail(tx, scope, input.customerEmail);
    return { sale, customer };
  });
}

/** The parked or awaited payment of this invoice. */
async function findWaiting(tx: Transaction, accountId: string, invoiceId: string): Promise<PaymentRow | null> {
  const payments = await claimPayments(tx, () => findPaymentsByInvoice(tx, accountId, invoiceId));
  if (payments.some((payment) => payment.state === 'counted')) throw duplicateInvoice(invoiceId);
  return payments.find((payment) => payment.state === 'parked') ?? payments[0] ?? null;
}

async function store(
  tx: Transaction,
  scope: Scope,
  input: SaleInput,
  owner: Owner,
  customer: CustomerRow,
  waiting: PaymentRow | null,
): Promise<NewSale> {
  const ids = { saleId: createId('sal'), paymentId: waiting?.id ?? createId('pmt') };
  const parked = parkedFactOf(waiting);
  if (waiting === null) await insertPayment(tx, newPayment(scope, input, ids));
  else await takeOverPayment(tx, scope, input, ids);
  const theirs = parked?.currency === input.currency ? parked : null;
  const sale = await recordSale(
    tx,
    {
      ...ids,
      accountId: scope.accountId,
      customerId: customer.id,
      payerEmail: input.customerEmail,
      // the caller's amount is both: what the commission is of, and, until a processor says better, what was paid
      owner: { ...owner, amountBasis: 'net' },
      eventName: input.eventName,
      invoiceId: input.invoiceId,
      paymentProcessor: input.paymentProcessor,
      netMinor: input.amount,
      grossMinor: theirs?.grossMinor ?? input.amount,
      currency: input.currency,
      presentment: theirs?.presentment ?? null,
      matchedBy: 'click_id',
      steps: traceOf(input, owner, customer),
      metadata: input.metadata,
      occurredAt: scope.now,
    },
    scope.now,
  );
  if (waiting !== null) await takeOver(tx, scope, waiting, parked, sale);
  return sale;
}

/** A processor knows the payment by this invoice id; now the API does too. */
async function takeOverPayment(
  tx: Transaction,
  { accountId }: Scope,
  { invoiceId, paymentProcessor: processor }: SaleInput,
  { saleId, paymentId }: { saleId: string; paymentId: string },
): Promise<void> {
  await countPayment(tx, paymentId, saleId);
  if (invoiceId !== null)
    await addReferences(tx, accountId, { processor, references: [invoiceId], invoiceId }, paymentId);
}

/** What hung on the parked payment now hangs on the sale. */
async function takeOver(
  tx: Transaction,
  scope: Scope,
  waiting: PaymentRow,
  parked: PaymentReceived | null,
  sale: NewSale,
): Promise<void> {
  await clearParkedHints(tx, waiting.id);
  await changeOutcome(tx, { ...scope, deliveryId: waiting.deliveryId }, 'duplicate', sale.id);
  await settleWaiting(tx, scope, sale.id);
  if (parked === null) return;
  await completeSale(tx, { ...scope, processor: waiting.processor }, parked, sale.id, waiting.deliveryId);
}

function traceOf(input: SaleInput, owner: Owner, customer: CustomerRow): TraceStep[] {
  const given: TraceStep = {
    step: 'click_id',
    value: input.clickId,
    result: 'matched',
    reason: `the click given with the sale: link ${owner.linkId}, partner ${owner.partnerId}`,
  };
  if (customer.clickId === input.clickId) return [given];
  const first = customer.clickId === null ? 'no click' : `click ${customer.clickId}`;
  const reason = `the customer came by ${first} of partner ${customer.partnerId}; the given click decides`;
  return [given, { step: 'customer', value: input.customerExternalId, result: 'noted', reason }];
}

function newPayment(scope: Scope, input: SaleInput, ids: { saleId: string; paymentId: string }) {
  return {
    id: ids.paymentId,
    accountId: scope.accountId,
    processor: input.paymentProcessor,
    state: 'counted' as const,
    saleId: ids.saleId,
    deliveryId: null,
    fact: null,
    steps: null,
    occurredAt: scope.now,
    expiresAt: null,
    createdAt: scope.now,
  };
}
