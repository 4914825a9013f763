/** Without `TEST_ROUNDS=full`, which `.ci/run` sets, one in this many rounds runs. */
const PART = 10;

/** @throws Error for another `TEST_ROUNDS` than `full` */
function isFull(setting = process.env.TEST_ROUNDS): boolean {
  if (setting === 'full') return true;
  if (setting === undefined || setting === '') return false;
  throw new Error(`TEST_ROUNDS is "${setting}": set it to "full", or leave it out`);
}

/**
 * How often a test repeats with random input or at a random moment: `full` times in CI. Elsewhere somebody waits for
 * the result, so it is a tenth of that, and the next run tries other values.
 *
 * @throws Error for any `TEST_ROUNDS` other than `full`
 */
export function rounds(full: number, setting?: string): number {
  return isFull(setting) ? full : Math.ceil(full / PART);
}

/**
 * What a test tries of many alike: all of them in CI, elsewhere a random tenth, in order. For what takes seconds, and fails for
 * all when it fails for most: pages under an audit, members left out of a payload, filters in pairs.
 *
 * @throws Error for another `TEST_ROUNDS` than `full`
 */
export function someOf<T>(all: readonly T[], setting?: string): readonly T[] {
  let wanted = rounds(all.length, setting);
  return all.filter((_, index) => {
    const isTaken = Math.random() * (all.length - index) < wanted;
    if (isTaken) wanted -= 1;
    return isTaken;
  });
}
