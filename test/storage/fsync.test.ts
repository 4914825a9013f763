import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { startChild } from '../helpers/child-process.ts';
import { createEmptyDatabase } from '../helpers/databases.ts';

const STRACE = 'strace';
const TRACE = ['-f', '-qq', '-s', '200', '-e', 'trace=openat,pwrite64,fsync,fdatasync,write'];
/** A disk that takes 5 ms, so that a writer that does not wait for it is detected. */
const SLOW_DISK = ['-e', 'inject=fsync,fdatasync:delay_enter=5000'];
/** A disk that fails once for the commit log, and does not report it afterwards. Calls are counted by thread. */
const FAILING_DISK = ['-E', 'UV_THREADPOOL_SIZE=1', '-e', 'inject=fdatasync:error=EIO:when=4'];

/** The system calls of a child in this folder that writes to a new database, each with its thread's number. */
async function trace(child: string, args: readonly number[], disk = SLOW_DISK): Promise<string> {
  const { url, remove } = await createEmptyDatabase('sqlite');
  const folder = await mkdtemp(join(tmpdir(), 'refbridge-trace-'));
  try {
    const calls = join(folder, 'calls');
    const file = new URL(`./children/${child}.ts`, import.meta.url);
    const wrapper = [STRACE, ...TRACE, ...disk, '-o', calls];
    const { output, code } = await startChild(file, [url, ...args.map(String)], wrapper).ended;
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    return await readFile(calls, 'utf8');
  } finally {
    await rm(folder, { recursive: true });
    await remove();
  }
}

/** The number of fsyncs between the child's two marks. */
async function countSyncs(batches: number, unitsPerBatch: number): Promise<number> {
  const output = await trace('write-batches', [batches, unitsPerBatch]);
  const [, between = ''] = /write\(1, "batches begin([\s\S]*)write\(1, "batches end/.exec(output) ?? [];
  return between.match(/(fsync|fdatasync)\(\d+/g)?.length ?? 0;
}

/** At each of the child's marks: how many writes to the log were made, and how many of them were on disk by then. */
function marksIn(output: string) {
  const logs = new Set<string>();
  /** By thread: how many writes its running sync covers. */
  const syncing = new Map<string, number>();
  const marks: { mark: string; written: number; synced: number }[] = [];
  let [written, synced] = [0, 0];
  for (const line of output.split('\n')) {
    const thread = line.split(' ', 1)[0] ?? '';
    const log = /openat\(.*-wal".* = (\d+)$/.exec(line)?.[1];
    if (log !== undefined) logs.add(log);
    if (logs.has(/pwrite64\((\d+),/.exec(line)?.[1] ?? '')) written += 1;
    if (logs.has(/(?:fsync|fdatasync)\((\d+)/.exec(line)?.[1] ?? '')) syncing.set(thread, written);
    if (/(?:fsync|fdatasync)(?:\(\d+| resumed>)\) += 0/.test(line)) {
      synced = Math.max(synced, syncing.get(thread) ?? 0);
      syncing.delete(thread);
    }
    const mark = /write\(1, "(acknowledged|seen)/.exec(line)?.[1];
    if (mark !== undefined) marks.push({ mark, written, synced });
  }
  return marks;
}

function skipWithoutStrace(skip: TestContext['skip']): void {
  const probe = spawnSync(STRACE, [...TRACE, ...SLOW_DISK, 'true']);
  if (probe.status === 0) return;
  const why = `strace cannot run here (${probe.error?.message ?? probe.stderr}), so fsyncs were NOT counted`;
  process.stderr.write(`\n${why}\n`);
  skip(why);
}

describe('acknowledged writes are on disk', () => {
  it('every batch of writes costs one fsync, however many units it has', async ({ skip }) => {
    skipWithoutStrace(skip);
    const alone = await countSyncs(50, 1);
    expect(alone).toBeGreaterThanOrEqual(50);
    const together = await countSyncs(5, 100);
    expect(together).toBeGreaterThanOrEqual(5);
    expect(together).toBeLessThan(25);
  });

  it('no caller learns of a write before all of the log up to it is on disk, neither its writer nor a reader', async ({
    skip,
  }) => {
    skipWithoutStrace(skip);
    const marks = marksIn(await trace('acknowledge', [20]));
    expect(marks.map(({ mark }) => mark).toSorted()).toEqual([
      ...Array.from({ length: 60 }, () => 'acknowledged'),
      ...Array.from({ length: 20 }, () => 'seen'),
    ]);
    expect(marks[0]?.written).toBeGreaterThan(0);
    expect(marks.filter(({ written, synced }) => synced < written)).toEqual([]);
  });

  it('the thread that answers never waits for the disk, not even when the log starts from the beginning', async ({
    skip,
  }) => {
    skipWithoutStrace(skip);
    const output = await trace('write-logs', [40]);
    const [, main = '', during = ''] = /writes begin in (\d+)([\s\S]*)writes end/.exec(output) ?? [];
    const syncs = during.match(/^\d+ +(fsync|fdatasync)\(/gm) ?? [];
    // one for each write, and a few for checkpoints
    expect(syncs.length).toBeGreaterThan(80);
    expect(syncs.filter((sync) => sync.startsWith(`${main} `))).toEqual([]);
    expect(output).not.toContain('PROBLEM');
  });

  it('nothing is answered after the disk has failed, even when it claims to work again', async ({ skip }) => {
    skipWithoutStrace(skip);
    const output = await trace('failing-disk', [6], FAILING_DISK);
    const told = /write\(1, "told ([^"]*)"/.exec(output)?.[1];
    expect(told?.split(' ')).toEqual([
      'stored',
      'stored',
      'stored',
      'OUTCOME_UNKNOWN',
      ...Array(2).fill('UNAVAILABLE'),
      'UNAVAILABLE',
      'NORMAL',
    ]);
  });
});
