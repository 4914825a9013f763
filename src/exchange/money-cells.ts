import { currencyExponent, decimalToMinor, parseCurrency } from '../core/money.ts';
import { DAY_MS } from '../core/time.ts';
import { refused } from './manifest.ts';
import type { MovedStatus } from './moved/facts.ts';

/** Other services' words for the states of a commission or payout. Any other word is refused, never guessed. */
const STATUSES: Readonly<Record<string, MovedStatus>> = {
  pending: 'open',
  due: 'open',
  open: 'open',
  unpaid: 'open',
  approved: 'open',
  payable: 'open',
  processed: 'open',
  paid: 'paid',
  completed: 'paid',
  voided: 'reversed',
  void: 'reversed',
  reversed: 'reversed',
  refunded: 'reversed',
  rejected: 'reversed',
  declined: 'reversed',
  denied: 'reversed',
  canceled: 'reversed',
  cancelled: 'reversed',
  duplicate: 'reversed',
  fraud: 'reversed',
};

const STATUS_WORDS = Object.keys(STATUSES).join(', ');

/** @throws ServiceError `VALIDATION_ERROR` for an unknown word */
export function statusOf(text: string): MovedStatus {
  const status = Object.entries(STATUSES).find(([word]) => word === text.trim().toLowerCase());
  if (status !== undefined) return status[1];
  throw refused(`status: ${JSON.stringify(text)} is not known; write one of ${STATUS_WORDS}`);
}

/** The lower-case ISO 4217 code. @throws ServiceError `VALIDATION_ERROR` */
export function currencyOf(text: string): string {
  const currency = parseCurrency(text.trim());
  if (currency !== null) return currency;
  throw refused(`currency: ${JSON.stringify(text)} is not an ISO 4217 currency code, such as USD`);
}

/**
 * Decimal text in minor units of the currency, exactly: `19.9` in USD is 1990, `-19.9` is -1990.
 *
 * @throws ServiceError `VALIDATION_ERROR` for anything but digits with at most one point and a sign, or more decimals than the
 *   currency has
 */
export function amountOf(name: string, text: string, currency: string): number {
  const exponent = currencyExponent(currency) ?? 0;
  const match = /^-?\d+(?:\.(\d+))?$/.exec(text.trim());
  const amount = decimalToMinor(text, exponent);
  if (amount === null || match === null) {
    throw refused(
      `${name}: ${JSON.stringify(text)} is not an amount: write it with digits and a point, such as 1234.50`,
    );
  }
  const digits = match[1] ?? '';
  // where commas are decimal points, 1.200 may be thousands
  const decimals = digits.length === 3 ? 3 : digits.replace(/0+$/, '').length;
  if (decimals <= exponent) return amount;
  throw refused(`${name}: ${text} has more decimals than ${currency.toUpperCase()}, which has ${exponent}`);
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;

/**
 * A date or time of ISO 8601 in epoch milliseconds; UTC where it names no zone.
 *
 * @throws ServiceError `VALIDATION_ERROR`, also for days that do not exist
 */
export function timeOf(name: string, text: string): number {
  const [, date, clock = '00:00', zone = 'Z'] = TIME.exec(text.trim()) ?? [];
  const day = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`);
  const isDay = Number.isFinite(day) && new Date(day).toISOString().startsWith(date ?? '');
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2');
  const time = isDay ? Date.parse(`${date}T${clock}${offset}`) : Number.NaN;
  if (Number.isFinite(time) && time >= 0 && time - day < 3 * DAY_MS) return time;
  throw refused(`${name}: ${JSON.stringify(text)} is not a date: write 2026-03-31, or 2026-03-31T14:30:00Z`);
}
