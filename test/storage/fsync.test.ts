import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startChild } from '../helpers/child-process.ts';
import { createEmptyDatabase } from '../helpers/databases.ts';

const CHILD = new URL('./children/write-batches.ts', import.meta.url);
const STRACE = 'strace';
const TRACE = ['-f', '-qq', '-e', 'trace=fsync,fdatasync,write'];

/** The number of fsyncs between the child's two marks. */
async function countSyncs(batches: number, unitsPerBatch: number): Promise<number> {
  const { url, remove } = await createEmptyDatabase('sqlite');
  const { output, code } = await startChild(CHILD, [url, `${batches}`, `${unitsPerBatch}`], [STRACE, ...TRACE]).ended;
  await remove();
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  const [, between = ''] = /write\(1, "batches begin([\s\S]*)write\(1, "batches end/.exec(output) ?? [];
  return between.match(/(fsync|fdatasync)\(\d+/g)?.length ?? 0;
}

describe('acknowledged writes are on disk', () => {
  it('every batch of writes costs one fsync, however many units it has', async ({ skip }) => {
    const probe = spawnSync(STRACE, [...TRACE, 'true']);
    if (probe.status !== 0) {
      const why = `strace cannot run here (${probe.error?.message ?? probe.stderr}), so fsyncs were NOT counted`;
      process.stderr.write(`\n${why}\n`);
      skip(why);
    }
    const alone = await countSyncs(50, 1);
    expect(alone).toBeGreaterThanOrEqual(50);
    const together = await countSyncs(5, 100);
    expect(together).toBeGreaterThanOrEqual(5);
    expect(together).toBeLessThan(25);
  });
});
