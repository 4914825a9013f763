import { z } from 'zod';
import { OUTCOMES } from '../core/outcome.ts';
import { PROCESSORS } from '../core/processor.ts';
import { traceStepSchema } from '../payments/resources/sale-schemas.ts';
import { amountSchema, currencySchema } from '../schema/answer-fields.ts';
import { optional, text, withDefault } from '../schema/fields.ts';

export const explainInput = z
  .object({
    processor: z.enum(PROCESSORS),
    endpointId: optional(text()).describe(
      "The endpoint whose settings and stored deliveries apply; without one, the processor's defaults apply.",
    ),
    asNew: withDefault(z.boolean(), false).describe(
      'Does not look whether the endpoint, which may be deleted, has stored the delivery already. A payment that was counted stays known.',
    ),
    body: z
      .union([z.string(), z.record(z.string(), z.unknown())], {
        error: 'must be the body as text, or as a JSON object',
      })
      .meta({
        description:
          'The body of the delivery: as text, byte for byte, or as a JSON object. In an object, numbers of more than 15 digits ' +
          'are rounded, and a delivery of Shopify that is stored already may not be recognized.',
        examples: [{ id: 'evt_1' }],
      }),
    headers: optional(z.record(z.string(), z.string())).describe(
      'Headers that affect the result, such as `x-shopify-topic`.',
    ),
  })
  .meta({ id: 'ExplainInput' });

export type ExplainInput = z.output<typeof explainInput>;

export const explanationSchema = z
  .object({
    deliveryKey: z.string().describe('Identifies the delivery within its endpoint.'),
    eventType: z.string().nullable(),
    outcome: z.enum(OUTCOMES).describe('What the delivery would become.'),
    reason: z.string().nullable(),
    facts: z.array(z.record(z.string(), z.unknown())).describe('What the body says, in the order it would be applied.'),
    attribution: z
      .object({ matchedBy: z.string().nullable(), steps: z.array(traceStepSchema) })
      .nullable()
      .describe(
        'The trace of the sale, or of the payment that would be parked if `matchedBy` is null; null without a payment.',
      ),
    partnerId: z.string().nullable(),
    partnerName: z.string().nullable(),
    commissionAmount: amountSchema
      .nullable()
      .describe(
        "What it would add to the partner's ledger in this currency, for all sales together, in minor units; negative for " +
          'a refund.',
      ),
    currency: currencySchema.nullable(),
  })
  .meta({ id: 'Explanation' });

export type Explanation = z.input<typeof explanationSchema>;
