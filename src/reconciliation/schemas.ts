import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { OUTCOMES } from '../core/outcome.ts';
import { PROCESSORS } from '../core/processor.ts';
import { amountSchema, countSchema, currencySchema, timeSchema } from '../schema/answer-fields.ts';
import { optional, text, withDefault } from '../schema/fields.ts';
import { timeField } from '../schema/time-field.ts';
import { RECONCILIATION_STATUSES } from './queries/reconciliations.ts';

/** How many missing deliveries a reconciliation shows. */
export const ITEMS_SHOWN_MAX = 100;
export const ITEMS_KEPT_DAYS = 90;

export const reconciliationInput = z
  .object({
    since: timeField.describe('Reads what happened since then: a time, or a day in UTC.'),
    dryRun: withDefault(z.boolean(), false).describe('Reports what is missing, and stores nothing.'),
  })
  .meta({ id: 'ReconciliationInput' });
export type ReconciliationInput = z.output<typeof reconciliationInput>;

const members = {
  id: z.string(),
  endpointId: z.string(),
  processor: z.enum(PROCESSORS),
  dryRun: z.boolean(),
  since: timeSchema,
  until: timeSchema.describe('When it was created. What was made later is not read.'),
  status: z
    .enum(RECONCILIATION_STATUSES)
    .describe('`waiting`: until a process starts it, or tries again after a failure that may pass.'),
  counts: z.object({
    read: countSchema.describe('Events that the API lists, and deliveries made of its records.'),
    known: countSchema.describe('They had arrived, or say nothing that was not known.'),
    ignored: countSchema.describe(
      'They do not count: test purchases, and payments whose customer was not known within `PARKED_DAYS` after them.',
    ),
    sales: countSchema.describe('Missing sales.'),
    reversals: countSchema.describe('Missing refunds and disputes.'),
    unattributed: countSchema.describe('Missing payments of which nobody knows the customer.'),
    failed: countSchema.describe('Missing deliveries that could not be processed.'),
    other: countSchema.describe('Missing deliveries that tell who a customer is, or something else.'),
  }),
  notRead: z
    .array(
      z.object({
        what: z.string(),
        reason: z.string().describe('Why, with what the access token lacks.'),
      }),
    )
    .describe('What the access token may not read, as far as it is known yet: something of it may be missing, too.'),
  error: z.string().nullable().describe('Why it failed, or what it waits for.'),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdAt: timeSchema,
  startedAt: timeSchema.nullable(),
  endedAt: timeSchema.nullable(),
};

export const reconciliationSchema = z.object(members).meta({ id: 'Reconciliation' });
export type ReconciliationResource = z.input<typeof reconciliationSchema>;

const missingSchema = z.object({
  deliveryId: z.string().nullable().describe('The delivery as it was stored; null in a dry run.'),
  eventType: z.string().nullable(),
  occurredAt: timeSchema,
  invoiceId: z.string().nullable().describe("The processor's id of the payment; null for anything else."),
  amount: amountSchema.nullable().describe('As the processor reports it: with tax and shipping.'),
  currency: currencySchema.nullable(),
  outcome: z.enum(OUTCOMES),
  reason: z.string().nullable(),
  saleId: z.string().nullable().describe('Null for a new sale in a dry run.'),
  partnerId: z.string().nullable(),
  partnerName: z.string().nullable(),
  commissionAmount: amountSchema.nullable().describe('What the partner earns by it, or loses.'),
  commissionCurrency: currencySchema.nullable(),
});

export const reconciliationDetailSchema = z
  .object({
    ...members,
    missing: z
      .array(missingSchema)
      .describe(`What was missing: the latest ${ITEMS_SHOWN_MAX}, for ${ITEMS_KEPT_DAYS} days.`),
  })
  .meta({ id: 'ReconciliationDetail' });
export type ReconciliationDetail = z.input<typeof reconciliationDetailSchema>;

export const reconciliationListQuery = z.object({
  ...pageFields('rec'),
  endpointId: optional(text()).describe('Only those of this webhook endpoint.'),
});
export type ReconciliationListQuery = z.output<typeof reconciliationListQuery>;
export const reconciliationListSchema = pageOfSchema(reconciliationSchema, 'ReconciliationList');
