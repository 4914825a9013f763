import { z } from 'zod';
import { amountField } from '../app/fields.ts';
import { wholeNumber } from '../app/whole-number.ts';
import { parseCurrency } from '../core/money.ts';
import { AMOUNT_BASES, type Commission, SELF_REFERRAL_RULES } from '../core/terms.ts';

const BASIS_POINTS_MAX = 10_000;
const HOLD_DAYS_MAX = 3650;
const DURATION_MONTHS_MAX = 1200;

/** `{usd: 500}`: minor units by currency. Codes in any case, lower case out; a currency that is named twice is refused. */
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
  .transform(
    (amounts): Record<string, number> =>
      Object.fromEntries(Object.entries(amounts).map(([code, amount]) => [code.toLowerCase(), amount])),
  );

export const commissionField: z.ZodType<Commission> = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('percentage'), rateBasisPoints: wholeNumber(0, BASIS_POINTS_MAX) }),
    z.object({ type: z.literal('flat'), amounts: amountsField }),
  ],
  {
    error: 'must be one of percentage (with rateBasisPoints), flat (with amounts)',
  },
);

export const durationMonthsField = wholeNumber(0, DURATION_MONTHS_MAX);

export const holdDaysField = wholeNumber(0, HOLD_DAYS_MAX);

export const amountBasisField = z.enum(AMOUNT_BASES, { error: `must be one of ${AMOUNT_BASES.join(', ')}` });

export const selfReferralField = z.enum(SELF_REFERRAL_RULES, {
  error: `must be one of ${SELF_REFERRAL_RULES.join(', ')}`,
});
