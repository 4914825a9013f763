/** Without `TEST_ROUNDS=full`, which `.ci/run` sets, one in this many rounds runs. */
const PART = 5;

/**
 * How often a test repeats with random input or at a random moment: `full` times in CI. Elsewhere somebody waits for
 * the result, so it is a fifth of that, and the next run tries other values.
 *
 * @throws Error for any `TEST_ROUNDS` other than `full`
 */
export function rounds(full: number, setting = process.env.TEST_ROUNDS): number {
  if (setting === 'full') return full;
  if (setting !== undefined && setting !== '') {
    throw new Error(`TEST_ROUNDS is "${setting}": set it to "full", or leave it out`);
  }
  return Math.ceil(full / PART);
}
