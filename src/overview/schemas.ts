import { z } from 'zod';
import { amountSchema, countSchema, currencySchema, moneyByCurrencySchema } from '../schema/answer-fields.ts';

const boundedCount = z
  .object({ count: countSchema, isMore: z.boolean().describe('There are more than that.') })
  .meta({ id: 'BoundedCount', description: 'Counted up to 1,000.' });

const attention = (what: string) => boundedCount.describe(what);
const isDone = (what: string) => z.boolean().describe(what);

export const overviewSchema = z
  .object({
    account: z.object({ id: z.string(), name: z.string() }),
    programs: z.array(z.object({ id: z.string(), name: z.string() })).describe('Oldest first.'),
    programId: z.string().nullable().describe('The only program; null when there are several.'),
    attention: z.object({
      failedDeliveries: attention('Will be retried.'),
      deadDeliveries: attention('Will not be retried automatically.'),
      parkedPayments: attention('Payments that no partner has earned yet.'),
      flaggedSales: attention('Sales waiting for review.'),
      processingPayouts: attention('Payouts that a run started and that are to be paid.'),
      heldPayouts: attention('Payouts of which nobody knows whether they were paid.'),
      openDisputes: attention('Sales with the status `disputed`.'),
    }),
    payouts: z
      .array(
        z.object({
          currency: currencySchema,
          count: countSchema.describe('The payouts that a run would start now.'),
          amount: amountSchema.describe('Their amount, in minor units.'),
        }),
      )
      .describe('What a run would pay now: due amounts that reach the minimum. Currencies without any are left out.'),
    owed: z
      .object({
        held: moneyByCurrencySchema.describe('Still on hold, or waiting for a review.'),
        available: moneyByCurrencySchema.describe('Past its hold and in no payout, even if below the minimum.'),
        processing: moneyByCurrencySchema.describe('In payouts that are processing or held.'),
        heldPayouts: moneyByCurrencySchema.describe('The part of `processing` that is in payouts that are held.'),
        paid: moneyByCurrencySchema,
      })
      .describe('Over all partners, in minor units by currency.'),
    setup: z.object({
      endpoint: isDone('There is a webhook endpoint.'),
      delivery: isDone('A delivery has arrived.'),
      partner: isDone('There is a partner.'),
      link: isDone('There is a link.'),
      click: isDone('A link was followed.'),
      lead: isDone('A lead was reported.'),
      sale: isDone('There is a sale.'),
      allowedOrigin: isDone('A program allows an origin to embed the portal.'),
    }),
  })
  .meta({ id: 'Overview' });

export type Overview = z.input<typeof overviewSchema>;
