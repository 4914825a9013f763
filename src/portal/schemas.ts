import { z } from 'zod';
import { pageFields, pageInput, pageOfSchema } from '../app/page.ts';
import { ENTRY_KINDS } from '../core/ledger.ts';
import { PAYOUT_STATUSES } from '../core/payout.ts';
import { SALE_STATUSES } from '../core/sale.ts';
import { AMOUNT_BASES } from '../core/terms.ts';
import { REVERSAL_REASONS } from '../payments/lists/partner-sales.ts';
import { onboardingSchema } from '../payouts/transfers/schemas.ts';
import { payoutDetailsSchema } from '../programs/payout-details-schemas.ts';
import { commissionSchema } from '../programs/terms-fields.ts';
import { TRANSFER_RAIL_NAMES } from '../rails/index.ts';
import {
  amountSchema,
  countSchema,
  currencySchema,
  moneyByCurrencySchema,
  timeSchema,
} from '../schema/answer-fields.ts';
import { withDefault } from '../schema/fields.ts';
import { periodFields } from '../schema/period-fields.ts';

const HIDDEN_MONEY = 'Null when the program shows no earnings.';

export const portalTermsSchema = z
  .object({
    commission: commissionSchema.describe("The partner's own, or the program's."),
    durationMonths: z
      .int()
      .nullable()
      .describe("Months after a customer's first sale in which sales earn; 0: only the first sale; null: without end."),
    holdDays: z.int().describe('Days from a payment until its commission may be paid out.'),
    minimumPayout: moneyByCurrencySchema.describe('A payout waits until it reaches this amount.'),
    amountBasis: z.enum(AMOUNT_BASES).describe('`net`: after discounts, without tax and shipping; `gross`: all of it.'),
    archivedAt: timeSchema
      .nullable()
      .describe(
        'When the partner or the program was archived: later payments earn nothing. Null while both are in use.',
      ),
  })
  .meta({ id: 'PortalTerms' });

export type PortalTerms = z.input<typeof portalTermsSchema>;

export const partnerLinkQuery = pageInput('lnk');

const partnerLinkSchema = z
  .object({
    id: z.string(),
    shortLink: z.string().describe('The URL that the partner shares.'),
    url: z.string().describe('Where it leads.'),
    commission: commissionSchema.nullable().describe("The link's own; null where the terms apply."),
    clicks: countSchema.nullable().describe('Null, like leads and sales, when the program shows no statistics.'),
    leads: countSchema.nullable(),
    sales: countSchema.nullable(),
    earnedCommission: moneyByCurrencySchema.nullable().describe(HIDDEN_MONEY),
    createdAt: timeSchema,
  })
  .meta({ id: 'PartnerLink' });

export type PartnerLinkResource = z.input<typeof partnerLinkSchema>;

export const partnerLinkListSchema = pageOfSchema(partnerLinkSchema, 'PartnerLinkList');

export const portalStatisticsQuery = z.object({
  ...periodFields,
  interval: withDefault(z.enum(['day', 'month'], { error: 'must be day or month' }), 'month').describe(
    'By default the last 12 months, or with `day` the last 30 days, today included.',
  ),
});

export type PortalStatisticsQuery = z.output<typeof portalStatisticsQuery>;

const resultMembers = {
  clicks: countSchema,
  leads: countSchema,
  sales: countSchema,
  revenue: moneyByCurrencySchema.nullable().describe(`The sum of the sales, before refunds. ${HIDDEN_MONEY}`),
  earnedCommission: moneyByCurrencySchema.nullable().describe(`Their commission less reversals. ${HIDDEN_MONEY}`),
};

const portalIntervalSchema = z
  .object({ start: z.iso.date().describe('The first day of the interval, in UTC.'), ...resultMembers })
  .meta({ id: 'PortalInterval' });

export type PortalInterval = z.input<typeof portalIntervalSchema>;

export const portalStatisticsSchema = z
  .object({
    interval: z.enum(['day', 'month']),
    data: z.array(portalIntervalSchema).describe('Every interval of the period, the earliest first.'),
    totals: z.object(resultMembers).meta({ id: 'PortalTotals' }),
  })
  .meta({ id: 'PortalStatistics' });

export type PortalStatistics = z.input<typeof portalStatisticsSchema>;

const portalEarningsItemSchema = z
  .object({
    currency: currencySchema,
    earned: amountSchema.describe('Commissions and adjustments.'),
    reversed: amountSchema.describe('Deducted for refunds and disputes; an open dispute counts until it is won.'),
    held: amountSchema.describe('Still on hold, or waiting for a review.'),
    available: amountSchema.describe('Past its hold and in no payout yet.'),
    processing: amountSchema.describe('In payouts on their way.'),
    paid: amountSchema,
  })
  .meta({ id: 'PortalBalance', description: 'Minor units: earned − reversed = held + available + processing + paid.' });

export const portalEarningsSchema = z
  .object({ data: z.array(portalEarningsItemSchema).describe('One item per currency.') })
  .meta({ id: 'PortalEarnings' });

export type PortalEarnings = z.input<typeof portalEarningsSchema>;

export const portalSaleQuery = pageInput('sal');

const portalSaleSchema = z
  .object({
    id: z.string(),
    occurredAt: timeSchema,
    customer: z
      .string()
      .nullable()
      .describe('The address with its name hidden, `m…@example.com`; null without an address.'),
    amount: amountSchema.describe('The base of the commission, in minor units.'),
    currency: currencySchema,
    commissionAmount: amountSchema,
    reversedCommissionAmount: amountSchema.describe('The part of the commission that was reversed.'),
    status: z.enum(SALE_STATUSES),
    reversalReason: z
      .enum(REVERSAL_REASONS)
      .nullable()
      .describe('Why commission was reversed or, with `dispute`, is held; otherwise null.'),
  })
  .meta({ id: 'PortalSale' });

export type PortalSale = z.input<typeof portalSaleSchema>;

export const portalSaleListSchema = pageOfSchema(portalSaleSchema, 'PortalSaleList');

export const portalPayoutDetailsSchema = z
  .object({
    payoutDetails: payoutDetailsSchema.nullable(),
    transferRails: z
      .array(z.enum(TRANSFER_RAIL_NAMES))
      .describe('Providers that would pay the partner once the partner has signed up there.'),
  })
  .meta({ id: 'PortalPayoutDetails' });

export type PortalPayoutDetails = z.input<typeof portalPayoutDetailsSchema>;

export const portalPayoutQuery = pageInput('pay');

const portalPayoutSchema = z
  .object({
    id: z.string(),
    currency: currencySchema,
    amount: amountSchema.describe('Minor units.'),
    status: z.enum(PAYOUT_STATUSES).exclude(['queued', 'held']),
    startedAt: timeSchema.describe('When a run started it; its entries are older.'),
    paidAt: timeSchema.nullable(),
    entryCount: countSchema.describe('How many entries its statement has.'),
  })
  .meta({ id: 'PortalPayout' });

export type PortalPayout = z.input<typeof portalPayoutSchema>;

export const portalPayoutListSchema = pageOfSchema(portalPayoutSchema, 'PortalPayoutList');

export const portalStatementQuery = z.object({
  ...pageFields('ent'),
  format: withDefault(z.enum(['json', 'html', 'csv'], { error: 'must be json, html or csv' }), 'json').describe(
    '`html`: a page to print, `csv`: a file; both have everything, whatever `limit` says.',
  ),
});

export type PortalStatementQuery = z.output<typeof portalStatementQuery>;

const portalEntrySchema = z
  .object({
    id: z.string(),
    createdAt: timeSchema,
    kind: z.enum(ENTRY_KINDS),
    saleId: z.string().nullable().describe('Null for an adjustment by hand.'),
    reason: z.string().nullable().describe('Why an adjustment was made by hand, in the words of the operator.'),
    amount: amountSchema.describe("Minor units of the payout's currency: positive is paid to the partner."),
  })
  .meta({ id: 'PortalEntry' });

export const portalStatementSchema = z
  .object({
    payout: portalPayoutSchema,
    programName: z.string(),
    partner: z.object({ name: z.string(), email: z.string() }).meta({ id: 'PortalPartner' }),
    data: z.array(portalEntrySchema).describe('What the payout contains, newest first.'),
    nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last page.'),
  })
  .meta({ id: 'PortalStatement' });

export type PortalStatement = z.input<typeof portalStatementSchema>;

/** Without the problem, which is described for operators. */
export const portalOnboardingSchema = onboardingSchema.omit({ problem: true }).meta({ id: 'PortalOnboarding' });

export type PortalOnboarding = z.input<typeof portalOnboardingSchema>;
