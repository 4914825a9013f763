import { globSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const ALL = 'test/**/*.test.ts';
/** Tests that limit computing time so tightly that many others beside them would interfere. */
const TIMED = ['test/faults/footprint.test.ts', 'test/e2e/demo-time.test.ts', 'test/web/dashboard/long-list.test.ts'];
/**
 * Such a file replaces modules or the clock, measures the process, or avoids a mistake that V8 makes once it has parsed certain
 * names: it must neither leave traces nor find any.
 */
const NEEDS_ISOLATION = /vi\.mock\(|useFakeTimers|own-time|slowestAnswer|memoryUsage|nodejs\/node#/;

const isolated = globSync(ALL, { cwd: import.meta.dirname, exclude: TIMED }).filter(
  (path) =>
    path.startsWith('test/faults/') || NEEDS_ISOLATION.test(readFileSync(new URL(path, import.meta.url), 'utf8')),
);

/**
 * On a small machine, a commit waits 3 ms for the disk, and the tests commit some 100,000 times: their databases are
 * kept in memory where there is plenty. This does not change what the tests show, because none of them cuts the power.
 * `TMPDIR` selects another place.
 */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_MIN_BYTES = 8 * 2 ** 30;
if (process.env.TMPDIR === undefined && hasPlentyOfMemory()) process.env.TMPDIR = MEMORY_FOLDER;

/** As the program's own compile cache: with compiled modules, a process that a test starts is ready in half the time. */
process.env.NODE_COMPILE_CACHE ||= join(tmpdir(), 'node-compile-cache');

function hasPlentyOfMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, freemem()) >= MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}

/** The examples import the package by its name, as users do. */
const alias = ['client', 'middleware', 'better-auth'].map((room) => ({
  find: new RegExp(`^refbridge/${room}$`),
  replacement: fileURLToPath(new URL(`src/${room}/index.ts`, import.meta.url)),
}));

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: ['test/helpers/sqlite-setup.ts', 'test/helpers/postgres-setup.ts', 'test/helpers/pages-setup.ts'],
    setupFiles: ['test/helpers/check-answers.ts'],
    // on two cores, a third worker computes while another waits for a deadline, a process or the disk; a fourth gains nothing
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // only show what hangs: on a machine that is busy with other things, too, everything takes several times as long
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    // projects start in the order of their names: the isolated long files first, then the short files, which fill the
    // rest
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      { extends: true, test: { name: 'shared', isolate: false, include: [ALL], exclude: [...isolated, ...TIMED] } },
      // one worker makes its own group, which runs when the others are done
      { extends: true, test: { name: 'timed', include: TIMED, maxWorkers: 1 } },
    ],
  },
});
