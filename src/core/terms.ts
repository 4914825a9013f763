/** What a program promises its partners. Amounts are minor units by lower-case ISO 4217 code. */

export type Commission =
  | { type: 'percentage'; rateBasisPoints: number }
  /** So much per sale; a currency that is not listed earns nothing. */
  | { type: 'flat'; amounts: Record<string, number> };

/** `net`: after discounts, without tax and shipping. `gross`: all that the customer paid. */
export const AMOUNT_BASES = ['net', 'gross'] as const;

type AmountBasis = (typeof AMOUNT_BASES)[number];

/** What happens to a sale whose buyer looks like the partner: counted, counted and marked, or not counted. */
export const SELF_REFERRAL_RULES = ['off', 'flag', 'refuse'] as const;

type SelfReferralRule = (typeof SELF_REFERRAL_RULES)[number];

export interface ProgramTerms {
  commission: Commission;
  /** Months after a customer's first sale in which sales earn; 0: only that first one; null: for ever. */
  durationMonths: number | null;
  /** Days between a payment and the moment its commission may be paid out. */
  holdDays: number;
  /** A payout waits until it reaches this much; a currency that is not listed has no minimum. */
  minimumPayout: Record<string, number>;
  amountBasis: AmountBasis;
  /** Whether an e-mail address alone may attribute a sale; anyone can type an address. */
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
