/** A timer with a longer delay ends at once. */
export const DELAY_MS_MAX = 2 ** 31 - 1;

/** Whole milliseconds that a timer can wait; `usual` for what is no number. */
export function delayMsOf(given: number | undefined, usual: number): number {
  return Math.min(Math.ceil(numberOf(given, usual)), DELAY_MS_MAX);
}

/** `usual` for what is no number, such as `Number(process.env.LIMIT)` where that is not set. */
export function numberOf(given: number | undefined, usual: number): number {
  return given === undefined || Number.isNaN(given) ? usual : given;
}
