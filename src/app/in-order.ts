/**
 * The results of promises that do not depend on each other and were started together: on PostgreSQL they share a round
 * trip. If several fail, the first in this order decides, not the first to end.
 */
export async function inOrder<const Work extends readonly unknown[]>(
  ...work: Work
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work);
  // all have ended, so the first of those that failed rejects it
  return Promise.all(work);
}
