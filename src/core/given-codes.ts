/** A discount code that was given with a processor's id before a payment, or beside it. */
export interface GivenCode {
  code: string;
  /** When the processor first reported it, in epoch milliseconds. */
  givenAt: number;
  /** Its place in that report. */
  rank: number;
}

/** Limited because each code costs a lookup. */
const CODES_MAX = 20;

/**
 * Adds the codes of a report to those stored with an id. The earliest come first and are kept, so the order of the reports
 * does not matter. Returns `stored` itself when nothing changes.
 */
export function withGivenCodes(
  stored: readonly GivenCode[],
  codes: readonly string[],
  givenAt: number,
): readonly GivenCode[] {
  const reported = codes.map((code, rank) => ({ code, givenAt, rank }));
  const merged = [...stored, ...reported].sort(byTime);
  const distinct = merged.filter(({ code }, index) => merged.findIndex((one) => one.code === code) === index);
  const kept = distinct.slice(0, CODES_MAX);
  const isSame = kept.length === stored.length && kept.every((one, index) => one === stored[index]);
  return isSame ? stored : kept;
}

function byTime(one: GivenCode, other: GivenCode): number {
  return one.givenAt - other.givenAt || one.rank - other.rank || (one.code < other.code ? -1 : 1);
}
