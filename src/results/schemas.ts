import { z } from 'zod';
import { countSchema, moneyByCurrencySchema } from '../schema/answer-fields.ts';
import { optional, text, withDefault } from '../schema/fields.ts';
import { timeField } from '../schema/time-field.ts';
import { STATISTICS_INTERVALS } from './intervals.ts';

export const statisticsQuery = z.object({
  from: optional(timeField).describe('The first day, in UTC; 30 days before `to` by default.'),
  to: optional(timeField).describe(
    'The day after the last one, in UTC; by default 30 days after `from`, or tomorrow without that.',
  ),
  interval: withDefault(z.enum(STATISTICS_INTERVALS), 'day').describe('Weeks begin on Monday. At most 400 intervals.'),
  programId: optional(text()),
  partnerId: optional(text()),
  linkId: optional(text()),
});

export type StatisticsRouteQuery = z.output<typeof statisticsQuery>;

const resultMembers = {
  clicks: countSchema,
  leads: countSchema,
  sales: countSchema,
  revenue: moneyByCurrencySchema.describe('The sum of the sales before refunds, in minor units by currency.'),
  commission: moneyByCurrencySchema.describe(
    'Their commission less reversals, whenever these came. An open dispute reverses nothing.',
  ),
};

const totalsSchema = z.object(resultMembers).meta({ id: 'StatisticsTotals' });

export type StatisticsTotals = z.input<typeof totalsSchema>;

export const statisticsSchema = z
  .object({
    from: z.iso.date().describe('The first day of the period, in UTC.'),
    to: z.iso.date().describe('The day after its last one.'),
    data: z
      .array(
        z.object({
          start: z.iso.date().describe('The first day of the interval, even when the period starts later.'),
          ...resultMembers,
        }),
      )
      .describe('Every interval of the period in order, including those without results.'),
    totals: totalsSchema.describe('Of the whole period.'),
    previous: totalsSchema.describe('Of the same number of days before the period.'),
  })
  .meta({ id: 'Statistics' });

export type Statistics = z.input<typeof statisticsSchema>;
