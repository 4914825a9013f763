/** From `from` to before `to`. */
export interface Slice {
  from: number;
  to: number;
}

/**
 * Divides a range of whole numbers at its middles until each part has at most `max` rows or is a single number. Ends that
 * contain no rows cost nothing, and no row has to be skipped to find where a part ends.
 *
 * @param known what may contain rows; the first and the last part reach to the ends of `range`
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
