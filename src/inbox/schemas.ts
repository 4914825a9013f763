import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { DELIVERY_STATUSES } from '../core/delivery.ts';
import { OUTCOMES } from '../core/outcome.ts';
import { PROCESSORS } from '../core/processor.ts';
import { countSchema, timeSchema } from '../schema/answer-fields.ts';
import { optional, text } from '../schema/fields.ts';
import { periodFields } from '../schema/period-fields.ts';

export const deliveryListQuery = z.object({
  ...pageFields('dlv'),
  processor: optional(z.enum(PROCESSORS)),
  outcome: optional(z.enum(OUTCOMES)),
  status: optional(z.enum(DELIVERY_STATUSES)),
  endpointId: optional(text()),
  saleId: optional(text()),
  ...periodFields,
});

export type DeliveryListQuery = z.output<typeof deliveryListQuery>;

export const deliverySchema = z
  .object({
    id: z.string(),
    endpointId: z.string(),
    processor: z.enum(PROCESSORS),
    eventId: z
      .string()
      .describe("Unique within the endpoint: the processor's event id, or a digest when no event id is signed."),
    eventType: z.string().nullable().describe("The processor's name for the event; null when there is none."),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('`failed` will be retried; `dead` will not, because every attempt failed.'),
    outcome: z.enum(OUTCOMES).describe('The result of the delivery.'),
    reason: z.string().nullable().describe('The reason for the outcome.'),
    saleId: z.string().nullable(),
    attempts: countSchema,
    nextAttemptAt: timeSchema.nullable().describe('Null when no retry is due.'),
    receivedAt: timeSchema,
  })
  .meta({ id: 'Delivery' });

export type DeliveryResource = z.input<typeof deliverySchema>;

export const deliveryListSchema = pageOfSchema(deliverySchema, 'DeliveryList');

export const deliveryDetailSchema = z
  .object({
    ...deliverySchema.shape,
    headers: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .describe('The stored headers, by lower-case name.'),
    body: z
      .string()
      .nullable()
      .describe(
        "The body as received; null once it is deleted, after `DELIVERY_RETENTION_DAYS` or with somebody's personal data.",
      ),
  })
  .meta({ id: 'DeliveryDetail' });

export type DeliveryDetailResource = z.input<typeof deliveryDetailSchema>;

/** The response to a processor. */
export const receiptSchema = z
  .object({
    received: z.literal(true),
    outcome: z.enum(OUTCOMES).describe('The result of the delivery.'),
  })
  .meta({ id: 'DeliveryReceipt' });
