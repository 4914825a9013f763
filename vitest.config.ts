import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const ALL = 'test/**/*.test.ts';
/** Their limits are a few hundred milliseconds of computing, which tests beside them would take away. */
const TIMED = ['test/faults/footprint.test.ts', 'test/faults/locked.test.ts'];
/** Such a file replaces modules or the clock, or measures the process: it neither leaves traces nor finds any. */
const NEEDS_ISOLATION = /vi\.mock\(|useFakeTimers|own-time|slowestAnswer|memoryUsage/;

const isolated = globSync(ALL, { cwd: import.meta.dirname, exclude: TIMED }).filter(
  (path) =>
    path.startsWith('test/faults/') || NEEDS_ISOLATION.test(readFileSync(new URL(path, import.meta.url), 'utf8')),
);

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/postgres-setup.ts', 'test/helpers/pages-setup.ts'],
    setupFiles: ['test/helpers/check-answers.ts'],
    // on two cores a third worker computes while another waits for a deadline or the disk
    maxWorkers: Math.max(3, availableParallelism() - 1),
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
