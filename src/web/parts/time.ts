export const DAY_MS = 86_400_000;

/**
 * Whether a time is a whole day: an import that knows only the day stores its first millisecond in UTC, which is the day
 * before in the west.
 */
export function isWholeDay(iso: string): boolean {
  return iso.endsWith('T00:00:00.000Z');
}

/** `22 Nov, 16:25` in the reader's zone and language; with the year if it is not the current one. A whole day is only that. */
export function formatTime(iso: string, language?: string): string {
  if (isWholeDay(iso)) return formatDay(iso, language);
  const time = new Date(iso);
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  const format = new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
  });
  return format.format(time);
}

/** `22 Nov 2026` in the reader's zone and language. */
export function formatDay(iso: string, language?: string): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    ...(isWholeDay(iso) ? { timeZone: 'UTC' } : {}),
  });
  return format.format(new Date(iso));
}

/** `22 Nov` for a UTC day. */
export function formatUtcDay(iso: string, language?: string): string {
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  return format.format(new Date(iso));
}

/** `Nov 2026` for the first day of a month, in UTC. */
export function formatUtcMonth(iso: string, language?: string): string {
  const format = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  return format.format(new Date(iso));
}

const STEPS = [
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', DAY_MS],
] as const;

/** `3 minutes ago`, `in 2 days`, `yesterday`; days are the largest unit. */
export function timeAgo(iso: string, now: number, language?: string): string {
  const passedMs = Date.parse(iso) - now;
  const [unit, unitMs] = STEPS.findLast(([, size]) => Math.abs(passedMs) >= size) ?? STEPS[0];
  const format = new Intl.RelativeTimeFormat(language, { numeric: unit === 'day' ? 'auto' : 'always' });
  return Math.abs(passedMs) < STEPS[0][1] ? 'Just now' : format.format(Math.trunc(passedMs / unitMs), unit);
}

/** `2026-11-22 16:25:04 UTC`, for a tooltip. */
export function utcTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** The UTC day of a time, `2026-11-22`. */
export function utcDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** The UTC day that many days later. */
export function addDays(day: string, days: number): string {
  return utcDay(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}
