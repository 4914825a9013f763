import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageInput, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { PaymentReceived } from '../core/facts.ts';
import { isoTime } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { ClaimKey, Transaction } from '../storage/database.ts';
import { sellParked } from './attribute-waiting.ts';
import { requireClick } from './lead.ts';
import { findParked, findParkedPayment, type ParkedView } from './queries/list-parked.ts';
import { findOwnerByExternalId, findOwnerByPartner, type Owner } from './queries/owners.ts';
import { getPayment } from './queries/payments.ts';

const parkedPageInput = pageInput('pmt');

const attributeInput = z
  .object({ customerExternalId: optional(text()), clickId: optional(text()), partnerId: optional(text()) })
  .refine((input) => Object.values(input).filter((value) => value !== null).length === 1, {
    message: 'Give exactly one of customerExternalId, clickId and partnerId',
  });

type AttributeInput = z.output<typeof attributeInput>;

export type ParkedResource = ReturnType<typeof asParked>;

/** Payments that nobody earned yet, the newest first, each with what was tried. */
export function listParkedPayments(service: Service, accountId: string, query: unknown): Promise<Page<ParkedResource>> {
  const page = parseInput(parkedPageInput, query);
  return service.database.read((tx) => pageOf(page, (bounds) => findParked(tx, accountId, bounds), asParked));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getParkedPayment(service: Service, accountId: string, id: string): Promise<ParkedResource> {
  const parked = await service.database.read((tx) => findParkedPayment(tx, accountId, id));
  if (!parked) throw notFound('parked payment', id);
  return asParked(parked);
}

/**
 * Gives a parked payment to a customer, a click or a partner, by a person's decision; its time may be over.
 *
 * @returns the sale's id
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for what was named; `INVALID_CLICK_ID`; `INVALID_STATE` when it
 * became a sale in the meantime
 */
export async function attributeByHand(
  service: Service,
  accountId: string,
  id: string,
  body: unknown,
): Promise<{ saleId: string }> {
  const input = parseInput(attributeInput, body);
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.payment(id), ...claimsOf(accountId, input)]);
    const payment = await getPayment(tx, accountId, id);
    if (!payment) throw notFound('parked payment', id);
    if (payment.state !== 'parked' || payment.fact === null) {
      throw new ServiceError('INVALID_STATE', `Payment ${id} is ${payment.state}, not parked`);
    }
    const { owner, step } = await ownerGiven(tx, accountId, input);
    const steps = [...(JSON.parse(payment.steps ?? '[]') as TraceStep[]), step];
    const fact = JSON.parse(payment.fact) as PaymentReceived;
    const [saleId] = await sellParked(tx, scope, payment, fact, { owner, matchedBy: 'by_hand', steps });
    if (saleId === undefined) throw new Error('A parked payment was sold without a sale');
    return { saleId };
  });
}

async function ownerGiven(
  tx: Transaction,
  accountId: string,
  { customerExternalId, clickId, partnerId }: AttributeInput,
): Promise<{ owner: Owner; step: TraceStep }> {
  const chosen = (value: string, what: string): TraceStep => {
    return { step: 'by_hand', value, result: 'matched', reason: `given by hand: ${what}` };
  };
  if (clickId !== null) return { owner: await requireClick(tx, accountId, clickId), step: chosen(clickId, 'a click') };
  if (customerExternalId !== null) {
    const owner = await findOwnerByExternalId(tx, accountId, customerExternalId);
    if (!owner) throw notFound('customer', customerExternalId);
    return { owner, step: chosen(customerExternalId, 'a customer') };
  }
  const owner = await findOwnerByPartner(tx, accountId, partnerId ?? '');
  if (!owner) throw notFound('partner', partnerId ?? '');
  return { owner, step: chosen(owner.partnerId, 'a partner') };
}

function claimsOf(accountId: string, { customerExternalId, clickId }: AttributeInput): ClaimKey[] {
  return [
    ...(customerExternalId === null ? [] : [claimKeys.external(accountId, customerExternalId)]),
    ...(clickId === null ? [] : [claimKeys.click(accountId, clickId)]),
  ];
}

function asParked({ id, processor, fact, steps, occurredAt, expiresAt }: ParkedView) {
  const payment = JSON.parse(fact) as PaymentReceived;
  const { externalIds, clickIds, processorCustomerId, subscriptionId, email, name } = payment.customer;
  return {
    id,
    processor,
    invoiceId: payment.invoiceId,
    references: payment.references,
    amount: payment.netMinor,
    grossAmount: payment.grossMinor,
    currency: payment.currency,
    customer: {
      externalIds: externalIds.map((hint) => hint.value),
      clickIds: clickIds.map((hint) => hint.value),
      processorCustomerId,
      subscriptionId,
      email,
      name,
    },
    steps: JSON.parse(steps) as TraceStep[],
    occurredAt: isoTime(occurredAt),
    expiresAt: isoTime(expiresAt),
  };
}
