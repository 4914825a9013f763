import { z } from 'zod';
import { HOUR_MS } from '../../src/core/time.ts';
import type { BackfillRequest, DeliveryRequest } from '../contract/adapter.ts';
import { backfillKey, parseRecord } from '../contract/backfill.ts';
import { isoTime, optionalText } from '../contract/payload-fields.ts';
import { capturedAt } from './interpret-transaction.ts';
import { transactionSchema } from './payload.ts';

/** How long Paddle may take from the capture of a payment to the event about it, which may be what did not arrive. */
const COMPLETED_WITHIN_MS = HOUR_MS;

/** What is read of every record here; `interpret` judges the rest. */
const datedSchema = z.object({
  id: z.string().regex(/^\w+$/),
  created_at: isoTime,
  updated_at: isoTime,
});

const datedTransactionSchema = datedSchema.extend({
  billed_at: isoTime.nullish(),
  collection_mode: optionalText,
  payments: transactionSchema.shape.payments,
});

const LISTED = {
  transaction: 'Paddle listed a transaction',
  customer: 'Paddle listed a customer',
  adjustment: 'Paddle listed an adjustment',
};

export interface ReadRecord {
  id: string;
  createdAt: number;
  deliveries: DeliveryRequest[];
}

type Period = Pick<BackfillRequest, 'since' | 'until'>;

/**
 * Reads a completed transaction with its customer. The customer comes first, as with Paddle's events, and only if it
 * changed in the period.
 *
 * @throws ServiceError `VALIDATION_ERROR` for an unexpected form
 */
export function readTransaction(record: unknown, period: Period): ReadRecord {
  const transaction = parseRecord(LISTED.transaction, datedTransactionSchema, record);
  const { customer, ...data } = record as Record<string, unknown>;
  return {
    id: transaction.id,
    createdAt: transaction.created_at,
    deliveries: [
      ...(customer == null ? [] : deliveriesOf('customer', customer, period)),
      ...(isIn({ ...period, since: period.since - COMPLETED_WITHIN_MS }, completedAt(transaction))
        ? [deliveryOf('transaction.completed', data, completedAt(transaction))]
        : []),
    ],
  };
}

/**
 * Reads an adjustment in its present state.
 *
 * @throws ServiceError `VALIDATION_ERROR` for an unexpected form
 */
export function readAdjustment(record: unknown, period: Period): ReadRecord {
  const { id, created_at: createdAt } = parseRecord(LISTED.adjustment, datedSchema, record);
  return { id, createdAt, deliveries: deliveriesOf('adjustment', record, period) };
}

/** One delivery about the last change of the entity, if it lies in the period. */
function deliveriesOf(entity: 'customer' | 'adjustment', record: unknown, period: Period): DeliveryRequest[] {
  const { created_at: createdAt, updated_at: updatedAt } = parseRecord(LISTED[entity], datedSchema, record);
  if (!isIn(period, updatedAt)) return [];
  const type = updatedAt === createdAt ? `${entity}.created` : `${entity}.updated`;
  return [deliveryOf(type, record, updatedAt)];
}

/**
 * When a transaction was completed, which no member says. Paddle sets `billed_at` when it completes a checkout or a
 * renewal, but an invoice is billed weeks before it is paid: without a captured payment, its last change is the time.
 */
function completedAt(transaction: z.output<typeof datedTransactionSchema>): number {
  const { billed_at: billedAt, updated_at: updatedAt, collection_mode: mode } = transaction;
  return capturedAt(transaction) ?? (mode === 'manual' ? updatedAt : (billedAt ?? updatedAt));
}

function isIn({ since, until }: Period, time: number): boolean {
  return since <= time && time <= until;
}

function deliveryOf(type: string, data: unknown, occurredAt: number): DeliveryRequest {
  const event = {
    event_id: backfillKey(type, data),
    event_type: type,
    occurred_at: new Date(occurredAt).toISOString(),
    data,
  };
  return {
    rawBody: Buffer.from(JSON.stringify(event, withoutInexact)),
    headers: { 'content-type': 'application/json' },
  };
}

/**
 * Leaves out numbers whose digits Paddle's package may have changed: a customer id in `custom_data` would become
 * another customer's. Amounts are text.
 */
function withoutInexact(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? null : value;
}
