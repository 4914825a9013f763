/** A longer wait is not meant for us. */
const RETRY_AFTER_MS_MAX = 3_600_000;

const SECONDS = /^\d+(?:\.\d+)?$/;

/** The three forms of an HTTP date. `Date.parse` alone also takes "-5" for a date. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[a-z]{3,6}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT| [A-Z][a-z]{2} [\d ]\d [\d:]{8} \d{4})$/;

/** A comma between two values. The comma of a date is followed by a day and a month. */
const BETWEEN_VALUES = /,(?! ?\d\d[ -][A-Z])/;

/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `now`, at most an hour; null if it is missing or names
 * neither seconds nor an HTTP date (RFC 9110, 10.2.3). This package imports nothing from the server, so it repeats
 * `core/retry-after.ts`; a test compares the two.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  const waits = (header ?? '')
    .split(BETWEEN_VALUES)
    .map((value) => waitMs(value.trim(), now))
    .filter((wait) => !Number.isNaN(wait));
  return waits.length === 0 ? null : Math.min(Math.max(0, ...waits), RETRY_AFTER_MS_MAX);
}

function waitMs(value: string, now: number): number {
  if (SECONDS.test(value)) return Number(value) * 1000;
  if (!HTTP_DATE.test(value)) return Number.NaN;
  // the oldest form names no zone, and would be read in the machine's own
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - now;
}
