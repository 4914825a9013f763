import { z } from 'zod';
import { payoutDetailsSchema } from '../programs/payout-details-schemas.ts';
import { metadataSchema, timeSchema } from '../schema/answer-fields.ts';

/** Everything about a customer that an erasure removes, and the ids that it keeps. */
export const customerDataSchema = z
  .object({
    externalId: z.string().nullable().describe('Null for somebody who has none.'),
    customer: z
      .object({
        id: z.string(),
        email: z.string().nullable(),
        name: z.string().nullable(),
        avatar: z.string().nullable(),
        createdAt: timeSchema,
      })
      .nullable()
      .describe('Null for somebody who only paid.'),
    leads: z.array(
      z.object({
        eventName: z.string(),
        clickId: z.string(),
        metadata: metadataSchema.nullable(),
        createdAt: timeSchema,
      }),
    ),
    sales: z.array(
      z.object({
        id: z.string(),
        clickId: z.string().nullable(),
        metadata: metadataSchema.nullable(),
        emails: z.array(z.string()).describe('E-mail addresses in the steps of its attribution.'),
      }),
    ),
    parkedPayments: z.array(
      z.object({ id: z.string(), processor: z.string(), email: z.string().nullable(), name: z.string().nullable() }),
    ),
    processorIds: z
      .array(
        z.object({
          processor: z.string(),
          kind: z.enum(['customer', 'subscription']),
          value: z.string(),
          email: z.string().nullable(),
          name: z.string().nullable(),
        }),
      )
      .describe('What processors have reported under ids that belong to no customer yet.'),
    clicks: z.array(
      z.object({
        id: z.string(),
        referrerHost: z.string().nullable(),
        device: z.string().nullable(),
        country: z.string().nullable(),
        createdAt: timeSchema,
      }),
    ),
    deliveries: z
      .array(z.object({ id: z.string(), eventType: z.string().nullable(), receivedAt: timeSchema, body: z.string() }))
      .describe('Stored webhooks about their payments; the body as text.'),
  })
  .meta({ id: 'CustomerPersonalData' });

export type CustomerData = z.input<typeof customerDataSchema>;

export const partnerDataSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    tenantId: z.string().nullable(),
    discountCodes: z.array(z.string()),
    payoutDetails: payoutDetailsSchema.nullable(),
    createdAt: timeSchema,
  })
  .meta({ id: 'PartnerPersonalData' });

export type PartnerData = z.input<typeof partnerDataSchema>;
