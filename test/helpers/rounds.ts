/** Without `TEST_ROUNDS=full`, which `.ci/run` sets: one of this many. */
const PART = 5;

/**
 * How often a test repeats with random input or at a random moment: `full` times in CI, a fifth of it elsewhere, where
 * somebody waits for the result and the next run tries other values.
 *
 * @throws Error for another `TEST_ROUNDS` than `full`
 */
export function rounds(full: number, setting = process.env.TEST_ROUNDS): number {
  if (setting === 'full') return full;
  if (setting !== undefined && setting !== '') {
    throw new Error(`TEST_ROUNDS is "${setting}": set it to "full", or leave it out`);
  }
  return Math.ceil(full / PART);
}
