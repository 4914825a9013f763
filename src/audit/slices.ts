/** Whole numbers from `from` up to but not including `to`. */
export interface Slice {
  from: number;
  to: number;
}

/**
 * Halves a range of whole numbers until each part has at most `max` rows or is a single number. Empty ends cost
 * nothing, and no rows are skipped to find where a part ends.
 *
 * @param known the numbers that may have rows; the first and the last part extend to the ends of `range`
 * @param count counts the rows of a part; may stop counting above `max`
 */
export async function* slicesOf(
  range: Slice,
  known: Slice,
  max: number,
  count: (slice: Slice) => Promise<number>,
): AsyncGenerator<Slice> {
  const middle = Math.floor((known.from + known.to) / 2);
  if (middle <= known.from || (await count(range)) <= max) {
    yield range;
    return;
  }
  yield* slicesOf({ from: range.from, to: middle }, { from: known.from, to: middle }, max, count);
  yield* slicesOf({ from: middle, to: range.to }, { from: middle, to: known.to }, max, count);
}
