import { DAY_MS } from './time.ts';

/** A longer wait is shortened to this, so that no other side can stop the work for good. */
const RETRY_AFTER_MS_MAX = DAY_MS;

/** Shopify sends fractions of a second, which RFC 9110 does not have. */
const SECONDS = /^\d+(?:\.\d+)?$/;

/** The three forms of an HTTP date. `Date.parse` alone also takes "-5" for a date. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[a-z]{3,6}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT| [A-Z][a-z]{2} [\d ]\d [\d:]{8} \d{4})$/;

/** A comma between two values. The comma of a date is followed by a day and a month. */
const BETWEEN_VALUES = /,(?! ?\d\d[ -][A-Z])/;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `now`: from 0, also for a time that has passed, to a
 * day. Null if it is missing or names neither seconds nor an HTTP date (RFC 9110, 10.2.3). Of several values that were joined,
 * the longest counts.
 *
 * @param now epoch ms; NaN if it is not known, in which case dates are not read
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  const waits = (header ?? '')
    .split(BETWEEN_VALUES)
    .map((value) => waitMs(value.trim(), now))
    .filter((wait) => !Number.isNaN(wait));
  return waits.length === 0 ? null : Math.min(Math.max(0, ...waits), RETRY_AFTER_MS_MAX);
}

/** The same in whole seconds, rounded up, or undefined; a date is compared with the answer's own `Date`, of the same clock. */
export function retryAfterSeconds(headers: Pick<Headers, 'get'>): number | undefined {
  const wait = retryAfterMs(headers.get('retry-after'), Date.parse(headers.get('date') ?? ''));
  return wait === null ? undefined : Math.ceil(wait / 1000);
}

function waitMs(value: string, now: number): number {
  if (SECONDS.test(value)) return Number(value) * 1000;
  if (!HTTP_DATE.test(value)) return Number.NaN;
  // the oldest form names no zone, and would be read in the machine's own
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - now;
}
