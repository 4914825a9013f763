/** What a program promises its partners. Amounts are minor units by lower-case ISO 4217 code. */

export type Commission =
  | { type: 'percentage'; rateBasisPoints: number }
  /** An amount per sale; a currency that is not listed earns nothing. */
  | { type: 'flat'; amounts: Record<string, number> };

/** `net`: after discounts, without tax and shipping. `gross`: the total that the customer paid. */
export const AMOUNT_BASES = ['net', 'gross'] as const;

type AmountBasis = (typeof AMOUNT_BASES)[number];

/**
 * How a sale counts when its buyer looks like the partner: counted (`off`), counted and flagged (`flag`) or not
 * (`refuse`).
 */
export const SELF_REFERRAL_RULES = ['off', 'flag', 'refuse'] as const;

type SelfReferralRule = (typeof SELF_REFERRAL_RULES)[number];

export interface ProgramTerms {
  commission: Commission;
  /** Months after a customer's first sale during which sales earn. 0: only the first sale. null: without end. */
  durationMonths: number | null;
  /** Days from a payment until its commission may be paid out. */
  holdDays: number;
  /** A payout waits until it reaches this amount. A currency that is not listed has no minimum. */
  minimumPayout: Record<string, number>;
  amountBasis: AmountBasis;
  /** Whether an e-mail address alone may attribute a sale. Anyone can type any address. */
  emailMatching: boolean;
  selfReferral: SelfReferralRule;
}

export const DEFAULT_TERMS: ProgramTerms = {
  commission: { type: 'percentage', rateBasisPoints: 2000 },
  durationMonths: null,
  holdDays: 30,
  minimumPayout: {},
  amountBasis: 'net',
  emailMatching: false,
  selfReferral: 'off',
};
