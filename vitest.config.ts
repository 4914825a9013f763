import { globSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism, freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const ALL = 'test/**/*.test.ts';
/** Their limits are computing time, or memory that is freed in time, which tests beside them would take away. */
const TIMED = [
  'test/faults/footprint.test.ts',
  'test/faults/hostile-clients.test.ts',
  'test/faults/locked.test.ts',
  'test/e2e/demo-time.test.ts',
  'test/payouts/scale.test.ts',
];
/** Such a file replaces modules or the clock, or measures the process: it neither leaves traces nor finds any. */
const NEEDS_ISOLATION = /vi\.mock\(|useFakeTimers|own-time|slowestAnswer|memoryUsage/;

const isolated = globSync(ALL, { cwd: import.meta.dirname, exclude: TIMED }).filter(
  (path) =>
    path.startsWith('test/faults/') || NEEDS_ISOLATION.test(readFileSync(new URL(path, import.meta.url), 'utf8')),
);

/**
 * A commit waits for the disk 3 ms on a small machine, and the tests commit some 100,000 times: their databases are kept in
 * memory where there is plenty. What they show is the same, because no test cuts the power. `TMPDIR` chooses another place.
 */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_MIN_BYTES = 8 * 2 ** 30;
if (process.env.TMPDIR === undefined && hasPlentyOfMemory()) process.env.TMPDIR = MEMORY_FOLDER;

function hasPlentyOfMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return Math.min(bavail * bsize, freemem()) >= MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}

/** The examples import the package by its name, as its users do. */
const alias = ['client', 'middleware', 'better-auth'].map((room) => ({
  find: new RegExp(`^refbridge/${room}$`),
  replacement: fileURLToPath(new URL(`src/${room}/index.ts`, import.meta.url)),
}));

export default defineConfig({
  resolve: { alias },
  test: {
    globalSetup: ['test/helpers/sqlite-setup.ts', 'test/helpers/postgres-setup.ts', 'test/helpers/pages-setup.ts'],
    setupFiles: ['test/helpers/check-answers.ts'],
    // on two cores two more workers compute while others wait for a deadline, a browser or the disk
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // shows what hangs; a test that may take longer on a busy machine says so itself
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 15_000 } },
    // projects start in the order of their names: the long files are isolated, the short ones fill up the end
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      { extends: true, test: { name: 'shared', isolate: false, include: [ALL], exclude: [...isolated, ...TIMED] } },
      // one worker makes a group of its own, which runs when the others are done
      { extends: true, test: { name: 'timed', include: TIMED, maxWorkers: 1 } },
    ],
  },
});
