import { z } from 'zod';
import { pageFields, pageOfSchema } from '../../app/page.ts';
import { PAYMENT_PROCESSORS } from '../../core/processor.ts';
import { amountSchema, currencySchema, timeSchema } from '../../schema/answer-fields.ts';
import { optional, text } from '../../schema/fields.ts';
import { periodFields } from '../../schema/period-fields.ts';
import { traceStepSchema } from './sale-schemas.ts';

export const parkedListQuery = z.object({
  ...pageFields('pmt'),
  processor: optional(z.enum(PAYMENT_PROCESSORS)),
  ...periodFields,
});

export type ParkedListQuery = z.output<typeof parkedListQuery>;

/** Exactly one of the three must be set. */
export const attributeInput = z
  .object({ customerExternalId: optional(text()), clickId: optional(text()), partnerId: optional(text()) })
  .refine((input) => Object.values(input).filter((value) => value !== null).length === 1, {
    message: 'Give exactly one of customerExternalId, clickId and partnerId',
  })
  .meta({ id: 'AttributeInput' });

export type AttributeInput = z.output<typeof attributeInput>;

export const parkedSchema = z
  .object({
    id: z.string(),
    processor: z.enum(PAYMENT_PROCESSORS),
    invoiceId: z.string().nullable(),
    references: z
      .array(z.string())
      .describe(
        'The ids in the reports of this payment. Another report, such as of its refund, may use one that is not here.',
      ),
    amount: amountSchema.describe('Without tax and shipping.'),
    grossAmount: amountSchema,
    currency: currencySchema,
    customer: z
      .object({
        externalIds: z.array(z.string()),
        clickIds: z.array(z.string()),
        processorCustomerId: z.string().nullable(),
        subscriptionId: z.string().nullable(),
        email: z.string().nullable(),
        name: z.string().nullable(),
      })
      .describe('What the payment says about its customer.'),
    steps: z.array(traceStepSchema).describe('The attribution steps that were tried.'),
    occurredAt: timeSchema,
    expiresAt: timeSchema.describe('When it stops waiting for its customer; later it can only be attributed by hand.'),
  })
  .meta({ id: 'ParkedPayment' });

export type ParkedResource = z.input<typeof parkedSchema>;

/** The response to a report of a payment that waits for its customer. */
export const parkedAnswerSchema = z.object({ parkedPayment: parkedSchema }).meta({ id: 'ParkedAnswer' });

export type ParkedAnswer = z.input<typeof parkedAnswerSchema>;

export const parkedListSchema = pageOfSchema(parkedSchema, 'ParkedPaymentList');
