import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { PAYOUT_STATUSES, TRANSFER_STATUSES } from '../core/payout.ts';
import { amountSchema, countSchema, currencySchema, timeSchema } from '../schema/answer-fields.ts';
import { currencyField, freeText, optional, text, withDefault } from '../schema/fields.ts';
import { periodFields } from '../schema/period-fields.ts';
import { timeField } from '../schema/time-field.ts';
import { payoutTransferSchema } from './transfers/schemas.ts';

const EXPORT_FORMATS = ['csv', 'json'] as const;
/** A queued payout has no amount to pay yet. */
const EXPORT_STATUSES = ['processing', 'held', 'paid', 'failed', 'canceled'] as const;

export const payoutListQuery = z.object({
  ...pageFields('pay'),
  partnerId: optional(text()),
  status: optional(z.enum(PAYOUT_STATUSES)),
  tenantId: optional(text()).describe('Your own id for the partner.'),
  programId: optional(text()),
  currency: optional(currencyField),
  ...periodFields,
});

export type PayoutListQuery = z.output<typeof payoutListQuery>;

export const payoutSchema = z
  .object({
    id: z.string(),
    programId: z.string(),
    partnerId: z.string(),
    partnerName: z.string(),
    currency: currencySchema,
    amount: amountSchema.describe(
      "Minor units; while it is queued, the sum of the partner's open entries, capped at ±9,007,199,254,740,991.",
    ),
    status: z
      .enum(PAYOUT_STATUSES)
      .describe(
        '`queued` collects entries, a run makes it `processing`. `held` means that nobody knows whether a provider has ' +
          'paid it: a person decides. The rest are final.',
      ),
    entryCount: countSchema,
    createdAt: timeSchema,
    processingAt: timeSchema.nullable(),
    processingBy: z
      .string()
      .nullable()
      .describe('Who started it: the id of an API key or operator, `command line` or `schedule`.'),
    paidAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
    endedBy: z.string().nullable().describe('Who ended it, as in `processingBy`, or the rail that sent it: `stripe`.'),
    note: z.string().nullable(),
  })
  .meta({ id: 'Payout' });

export type PayoutResource = z.input<typeof payoutSchema>;

const listedPayoutSchema = payoutSchema
  .extend({ transfer: payoutTransferSchema.nullable().describe('How it is sent; null unless somebody had it sent.') })
  .meta({ id: 'ListedPayout' });

export type ListedPayout = z.input<typeof listedPayoutSchema>;

export const payoutInFullSchema = listedPayoutSchema
  .extend({ fileId: z.string().nullable().describe('The payout file that it is in, unless that file was canceled.') })
  .meta({ id: 'PayoutInFull' });

export type PayoutInFull = z.input<typeof payoutInFullSchema>;

export const payoutListSchema = pageOfSchema(listedPayoutSchema, 'PayoutList');

export const payoutRunInput = z
  .object({
    at: optional(timeField).describe('Pays the entries whose hold is over at this time; now by default.'),
    dryRun: withDefault(z.boolean(), false).describe('Only reports what would be paid.'),
  })
  .meta({ id: 'PayoutRunInput' });

export type PayoutRunInput = z.output<typeof payoutRunInput>;

const runPayoutSchema = z
  .object({
    id: z.string(),
    programId: z.string(),
    partnerId: z.string(),
    partnerName: z.string(),
    currency: currencySchema,
    amount: amountSchema.describe('Minor units.'),
    entryCount: countSchema,
  })
  .meta({ id: 'RunPayout', description: 'A payout that a run started, or would start.' });

export type RunPayout = z.input<typeof runPayoutSchema>;

const failedPayoutSchema = z
  .object({
    partnerId: z.string(),
    partnerName: z.string(),
    currency: currencySchema,
    code: z.string().describe('As in the body of an error answer.'),
    message: z.string(),
  })
  .meta({ id: 'FailedPayout', description: 'A payout that a run could not start.' });

export type FailedPayout = z.input<typeof failedPayoutSchema>;

export const payoutRunSchema = z
  .object({
    at: timeSchema.describe('ISO 8601, UTC: entries whose hold was over at this time are paid.'),
    dryRun: z.boolean(),
    payoutCount: countSchema,
    entryCount: countSchema,
    totals: z
      .array(
        z.object({
          currency: currencySchema,
          payoutCount: countSchema,
          entryCount: countSchema,
          amount: amountSchema.nullable().describe('Minor units; null beyond 9,007,199,254,740,991.'),
        }),
      )
      .describe('One item per currency.'),
    data: z.array(runPayoutSchema).describe('The first 1,000; the list of payouts has all of them.'),
    failed: z
      .array(failedPayoutSchema)
      .describe(
        'Payouts that could not be started, at most the first 1,000. Nothing is lost: the next run tries again.',
      ),
  })
  .meta({ id: 'PayoutRun' });

export type PayoutRun = z.input<typeof payoutRunSchema>;

export const payoutEndInput = z
  .object({ note: optional(freeText(500)).describe("A bank's reference, or the reason.") })
  .meta({ id: 'PayoutEndInput' });

export const payoutStatementQuery = z.object({
  format: optional(z.enum(['html', 'csv'], { error: 'must be html or csv' })).describe(
    'A page to print, or a file. Without it, the `Accept` header decides, and a page is the default.',
  ),
});

export const payoutTotalsQuery = z.object({
  ...pageFields('ptr'),
  year: z
    .string()
    .regex(/^2\d{3}$/, 'must be a year, such as 2026')
    .transform(Number)
    .describe('The calendar year, in UTC, in which the payouts were paid.'),
  partnerId: optional(text()),
});

export type PayoutTotalsQuery = z.output<typeof payoutTotalsQuery>;

const payoutTotalSchema = z
  .object({
    year: z.int(),
    partnerId: z.string(),
    partnerName: z.string(),
    partnerEmail: z.string(),
    tenantId: z.string().nullable(),
    currency: currencySchema,
    payoutCount: countSchema,
    amount: amountSchema.nullable().describe('Minor units; null beyond 9,007,199,254,740,991.'),
    amountDecimal: z.string().describe('`19.99`, with all decimals of the currency.'),
  })
  .meta({ id: 'PayoutTotal', description: 'What a partner was paid in a year, in one currency.' });

export type PayoutTotal = z.input<typeof payoutTotalSchema>;

export const payoutTotalListSchema = pageOfSchema(payoutTotalSchema, 'PayoutTotalList');

export const payoutExportQuery = z.object({
  format: withDefault(z.enum(EXPORT_FORMATS), 'csv'),
  status: withDefault(z.enum(EXPORT_STATUSES), 'processing'),
  partnerId: optional(text()),
});

export type PayoutExportQuery = z.output<typeof payoutExportQuery>;

const exportedPayoutSchema = z
  .object({
    id: z.string(),
    partner: z.object({
      id: z.string(),
      tenantId: z.string().nullable(),
      name: z.string(),
      email: z.string(),
    }),
    amount: amountSchema.describe('Minor units.'),
    amountDecimal: z.string().describe('`19.99`, with all decimals of the currency.'),
    currency: currencySchema,
    entryCount: countSchema,
    status: z.enum(EXPORT_STATUSES),
    processingAt: timeSchema.nullable(),
    paidAt: timeSchema.nullable(),
    fileId: z
      .string()
      .nullable()
      .describe('The payout file that pays it, unless that file was canceled: do not pay it a second time.'),
    transferStatus: z
      .enum(TRANSFER_STATUSES)
      .nullable()
      .describe(
        'What became of the transfer that pays it; null without one. Do not pay a second time what is being sent.',
      ),
  })
  .meta({ id: 'ExportedPayout' });

export type ExportedPayout = z.input<typeof exportedPayoutSchema>;

export const payoutExportSchema = z.object({ data: z.array(exportedPayoutSchema) }).meta({ id: 'PayoutExport' });
