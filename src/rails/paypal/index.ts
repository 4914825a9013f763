import { z } from 'zod';
import { csvLine } from '../../core/csv.ts';
import { maskedEmail } from '../../core/masked-email.ts';
import { minorToDecimal } from '../../core/money.ts';
import { payableEmail } from '../contract/fields.ts';
import type { FileRail, PaymentWithDetails } from '../contract/rail.ts';

/** https://developer.paypal.com/docs/reports/reference/paypal-supported-currencies/ */
const CURRENCIES = new Set(
  'aud brl cad cny czk dkk eur hkd huf ils jpy myr mxn twd nzd nok php pln gbp sgd sek chf thb usd'.split(' '),
);
/** PayPal accepts only whole amounts in these currencies, although they have decimals. */
const WHOLE_AMOUNTS = new Set(['huf', 'twd']);

const details = z.object({ email: payableEmail.describe("The address of the partner's PayPal account.") });

type Details = z.output<typeof details>;

/**
 * A mass payout: one row per payout without a header, `recipient,amount,currency,customerId,note,PAYPAL`.
 * https://www.paypal.com/us/cshelp/article/how-do-i-format-a-mass-payment-file-ts1470
 */
export const paypal: FileRail<Details> = {
  kind: 'file',
  name: 'paypal',
  details,
  options: z.object({}),
  paymentsMax: 5_000,
  masked: ({ email }) => ({ email: maskedEmail(email) }),
  refusalOf({ amount, currency }) {
    if (!CURRENCIES.has(currency)) return `PayPal does not pay in ${currency.toUpperCase()}`;
    if (WHOLE_AMOUNTS.has(currency) && amount % 100 !== 0) {
      return `PayPal pays only whole amounts in ${currency.toUpperCase()}`;
    }
    return null;
  },
  fileFor: (payments) => ({
    contentType: 'text/csv; charset=utf-8; header=absent',
    extension: 'csv',
    chunks: payments.map(asLine),
  }),
};

function asLine({ shortId, amount, currency, details: { email } }: PaymentWithDetails<Details>): string {
  const decimal = WHOLE_AMOUNTS.has(currency) ? String(amount / 100) : minorToDecimal(amount, currency);
  return csvLine([email, decimal, currency.toUpperCase(), shortId, `Payout ${shortId}`, 'PAYPAL']);
}
