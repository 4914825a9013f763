/**
 * The results of lookups that do not depend on each other and were started together: on PostgreSQL they share a round
 * trip. If several fail, the first in this order decides, not the first to end.
 */
export async function inOrder<const Work extends readonly unknown[]>(
  ...work: Work
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const settled = await Promise.allSettled(work);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as {
    -readonly [Index in keyof Work]: Awaited<Work[Index]>;
  };
}
