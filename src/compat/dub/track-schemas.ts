import { z } from 'zod';
import { PAYMENT_PROCESSORS } from '../../core/processor.ts';
import { amountSchema, currencySchema, metadataSchema, timeSchema } from '../../schema/answer-fields.ts';
import { looseText, optional, text, withDefault } from '../../schema/fields.ts';

/** A body whose members are parsed later, together with what the mapper adds. */
export const anyObject = z.record(z.string(), z.unknown());

export type AnyObject = z.output<typeof anyObject>;

/** The members that decide how a lead is recorded. The rest of the body is that of `POST /api/track/lead`. */
export const leadModeInput = z.object({
  clickId: looseText(),
  customerExternalId: text(),
  mode: withDefault(z.enum(['async', 'wait', 'deferred']), 'async'),
});

/** Processors that only these clients name. Their sales are recorded as `custom`. */
const FOREIGN_PROCESSORS = ['apple', 'dub'] as const;

const PROCESSORS = [...PAYMENT_PROCESSORS, ...FOREIGN_PROCESSORS] as const;

/** The members that decide how a sale is recorded. The rest of the body is that of `POST /api/track/sale`. */
export const saleModeInput = z.object({
  clickId: looseText(),
  paymentProcessor: withDefault(z.enum(PROCESSORS), 'custom'),
});

const personMembers = {
  name: z.string().nullable(),
  email: z.string().nullable(),
  avatar: z.string().nullable(),
  externalId: z.string().nullable(),
};

export const dubLeadSchema = z.object({
  click: z.object({ id: z.string() }),
  link: z
    .object({
      id: z.string(),
      domain: z.string(),
      key: z.string(),
      shortLink: z.string(),
      url: z.string(),
      partnerId: z.string(),
      programId: z.string(),
      tenantId: z.string().nullable(),
      externalId: z.string().nullable(),
    })
    .nullable(),
  customer: z.object(personMembers),
});

export type DubLead = z.input<typeof dubLeadSchema>;

export const dubSaleSchema = z.object({
  eventName: z.string(),
  customer: z.object({ id: z.string(), ...personMembers }).nullable(),
  sale: z
    .object({
      amount: amountSchema,
      currency: currencySchema,
      paymentProcessor: z.enum(PROCESSORS),
      invoiceId: z.string().nullable(),
      metadata: metadataSchema.nullable(),
    })
    .nullable(),
});

export type DubSale = z.input<typeof dubSaleSchema>;

export const dubTokenInput = z.object({
  partnerId: optional(text()),
  tenantId: optional(text()),
  partner: optional(z.object({ email: z.unknown(), name: optional(z.unknown()), tenantId: optional(text()) })),
});

export type DubTokenInput = z.output<typeof dubTokenInput>;

export const dubTokenSchema = z.object({ publicToken: z.string(), expires: timeSchema });
