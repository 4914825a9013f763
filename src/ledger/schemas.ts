import { z } from 'zod';
import { pageFields, pageOfSchema } from '../app/page.ts';
import { ENTRY_KINDS } from '../core/ledger.ts';
import { AMOUNT_MAX } from '../core/money.ts';
import { amountSchema, currencySchema, timeSchema } from '../schema/answer-fields.ts';
import { currencyField, optional, text } from '../schema/fields.ts';
import { periodFields } from '../schema/period-fields.ts';
import { wholeNumber } from '../schema/whole-number.ts';

export const ledgerQuery = z.object({
  ...pageFields('ent'),
  partnerId: optional(text()),
  saleId: optional(text()),
  payoutId: optional(text()).describe('Only entries that this payout includes.'),
  tenantId: optional(text()).describe('Your own id for the partner.'),
  programId: optional(text()),
  currency: optional(currencyField),
  kind: optional(z.enum(ENTRY_KINDS)),
  ...periodFields,
});

export type LedgerQuery = z.output<typeof ledgerQuery>;

/** The input of an adjustment, which is an entry made by a person. */
export const adjustmentInput = z
  .object({
    partnerId: text(),
    amount: wholeNumber(-AMOUNT_MAX, AMOUNT_MAX)
      .refine((amount) => amount !== 0, 'must not be 0')
      .describe('Minor units: positive is owed to the partner, negative is deducted. Not 0.'),
    currency: currencyField,
    reason: text(500),
  })
  .meta({ id: 'AdjustmentInput' });

export type AdjustmentInput = z.output<typeof adjustmentInput>;

export const entrySchema = z
  .object({
    id: z.string(),
    partnerId: z.string(),
    partnerName: z.string(),
    saleId: z.string().nullable().describe('Null for an adjustment by hand.'),
    payoutId: z.string().nullable().describe('The payout that includes the entry; null while there is none.'),
    kind: z.enum(ENTRY_KINDS).describe('A `reversal` is positive when a refund was undone.'),
    amount: amountSchema.describe('Minor units: positive is owed to the partner.'),
    currency: currencySchema,
    reason: z.string().nullable(),
    availableAt: timeSchema.describe('When the hold is over and a payout may include the entry.'),
    createdAt: timeSchema,
  })
  .meta({ id: 'LedgerEntry' });

export type EntryResource = z.input<typeof entrySchema>;

export const entryListSchema = pageOfSchema(entrySchema, 'LedgerEntryList');

export const earningsQuery = z.object({
  ...periodFields,
  interval: optional(z.enum(['day'], { error: 'must be day, or omitted for a total' })).describe(
    '`day` for one item per UTC day and currency; needs `from` and `to`, at most 366 days apart.',
  ),
});

export type EarningsQuery = z.output<typeof earningsQuery>;

const earningsSchema = z
  .object({
    currency: currencySchema,
    earned: amountSchema.describe('Commissions and adjustments.'),
    reversed: amountSchema.describe('Deducted for refunds and disputes; an open dispute counts until it is won.'),
    held: amountSchema.describe('Still on hold, or waiting for a review.'),
    payable: amountSchema.describe('Past its hold and not paid, including payouts that are being processed.'),
    paid: amountSchema,
  })
  .meta({ id: 'Earnings', description: 'Minor units: earned − reversed = held + payable + paid.' });

export type EarningsResource = z.input<typeof earningsSchema>;

const dayEarningsSchema = z
  .object({ from: timeSchema.describe('The start of the day.'), ...earningsSchema.shape })
  .meta({ id: 'DayEarnings', description: 'Like Earnings, for the entries created on one UTC day.' });

export const earningsReportSchema = z
  .object({
    data: z
      .union([z.array(earningsSchema), z.array(dayEarningsSchema)])
      .describe('One item per currency; with `interval=day` one per day and currency, in order of the days.'),
  })
  .meta({ id: 'EarningsReport' });

export type EarningsReport = z.input<typeof earningsReportSchema>;
