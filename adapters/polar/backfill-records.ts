import { z } from 'zod';
import { DAY_MS } from '../../src/core/time.ts';
import type { BackfillRequest, DeliveryRequest } from '../contract/adapter.ts';
import { backfillKey, parseRecord } from '../contract/backfill.ts';
import { isoTime } from '../contract/payload-fields.ts';

/**
 * How long before the period a record may have been made that changed in it: the payment of a renewal is repeated for
 * weeks, and so long may a refund be pending.
 */
export const CHANGED_WITHIN_MS = 30 * DAY_MS;

/** What is read of every record here; `interpret` judges the rest. */
const datedSchema = z.object({
  id: z.string().regex(/^[\w-]+$/),
  created_at: isoTime,
  modified_at: isoTime.nullable(),
});

const datedOrderSchema = datedSchema.extend({ paid: z.boolean() });

export interface ReadRecord {
  id: string;
  createdAt: number;
  deliveries: DeliveryRequest[];
}

type Period = Pick<BackfillRequest, 'since' | 'until'>;

/**
 * Reads an order, if it is paid. No member says when: `modified_at` also changes with a refund or an invoice, so its
 * payment gets the time of its creation.
 *
 * @throws ServiceError `VALIDATION_ERROR` for an unexpected form
 */
export function readOrder(record: unknown, { since, until }: Period): ReadRecord {
  const order = parseRecord('Polar listed an order', datedOrderSchema, record);
  const { id, created_at: createdAt, modified_at: modifiedAt, paid } = order;
  const isDue = paid && createdAt <= until && Math.max(createdAt, modifiedAt ?? createdAt) >= since;
  return { id, createdAt, deliveries: isDue ? [deliveryOf('order.paid', record, createdAt)] : [] };
}

/**
 * Reads a refund in its present state.
 *
 * @throws ServiceError `VALIDATION_ERROR` for an unexpected form
 */
export function readRefund(record: unknown, { since, until }: Period): ReadRecord {
  const refund = parseRecord('Polar listed a refund', datedSchema, record);
  const { id, created_at: createdAt, modified_at: modifiedAt } = refund;
  const changedAt = modifiedAt ?? createdAt;
  const type = modifiedAt === null ? 'refund.created' : 'refund.updated';
  const isDue = since <= changedAt && changedAt <= until;
  return { id, createdAt, deliveries: isDue ? [deliveryOf(type, record, changedAt)] : [] };
}

function deliveryOf(type: string, data: unknown, occurredAt: number): DeliveryRequest {
  const event = { type, timestamp: new Date(occurredAt).toISOString(), data };
  return {
    rawBody: Buffer.from(JSON.stringify(event)),
    headers: {
      'content-type': 'application/json',
      'webhook-id': backfillKey(type, data),
      'webhook-timestamp': String(Math.floor(occurredAt / 1000)),
    },
  };
}
