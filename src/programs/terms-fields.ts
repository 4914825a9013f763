import { z } from 'zod';
import { BASIS_POINTS_PER_WHOLE } from '../core/commission.ts';
import { parseCurrency } from '../core/money.ts';
import { AMOUNT_BASES, SELF_REFERRAL_RULES } from '../core/terms.ts';
import { moneyByCurrencySchema } from '../schema/answer-fields.ts';
import { amountField } from '../schema/fields.ts';
import { wholeNumber } from '../schema/whole-number.ts';

const HOLD_DAYS_MAX = 3650;
const DURATION_MONTHS_MAX = 1200;

/**
 * `{usd: 500}`: minor units by currency. Codes are accepted in any case and become lower case; a repeated currency is
 * refused.
 */
export const amountsField = z
  .record(
    z.string().refine((code) => parseCurrency(code) !== null),
    amountField,
    { error: 'is not an ISO 4217 currency code' },
  )
  .superRefine((amounts, context) => {
    const codes = Object.keys(amounts).map((code) => code.toLowerCase());
    const repeated = codes.find((code, index) => codes.indexOf(code) !== index);
    if (repeated !== undefined) context.addIssue({ code: 'custom', message: `must name ${repeated} once` });
  })
  .overwrite((amounts) =>
    Object.fromEntries(Object.entries(amounts).map(([code, amount]) => [code.toLowerCase(), amount])),
  )
  .meta({ description: 'Amounts in minor units by ISO 4217 code.', examples: [{ usd: 500 }] });

const rateField = wholeNumber(0, BASIS_POINTS_PER_WHOLE).describe('2000 is 20 %.');

export const commissionField = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('percentage'), rateBasisPoints: rateField }),
      z.object({ type: z.literal('flat'), amounts: amountsField.describe('Per sale; other currencies earn nothing.') }),
    ],
    { error: 'must be one of percentage (with rateBasisPoints), flat (with amounts)' },
  )
  .meta({ id: 'CommissionInput', examples: [{ type: 'percentage', rateBasisPoints: 2000 }] });

export const durationMonthsField = wholeNumber(0, DURATION_MONTHS_MAX);

export const holdDaysField = wholeNumber(0, HOLD_DAYS_MAX);

export const amountBasisField = z.enum(AMOUNT_BASES);

export const selfReferralField = z.enum(SELF_REFERRAL_RULES);

/** A commission in responses. */
export const commissionSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('percentage'), rateBasisPoints: z.int().describe('2000 is 20 %.') }),
    z.object({ type: z.literal('flat'), amounts: moneyByCurrencySchema.describe('Per sale.') }),
  ])
  .meta({ id: 'Commission' });
