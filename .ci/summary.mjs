// The last step of `.ci/run`: node summary.mjs <vitest results as JSON> [failed step]…
import { existsSync, readFileSync } from 'node:fs';

/** Tests on PostgreSQL say so in their names. Far below the real number: it detects that they did not run at all. */
const POSTGRES_TESTS_MIN = 100;
/** These need strace, curl, PgBouncer, mounts or the published samples of processors, which not every machine has. */
const MAY_BE_SKIPPED = [
  'test/storage/fsync.test.ts',
  'test/process/disk-problems.test.ts',
  'test/e2e/readme.test.ts',
  'test/storage/postgres/pgbouncer.test.ts',
  'test/adapters/samples.test.ts',
];

const [file, ...failedSteps] = process.argv.slice(2);
const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
const tests = results.testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map((test) => ({ file: name, ...test })),
);
const passed = tests.filter(({ status }) => status === 'passed');
const failed = tests.filter(({ status }) => status === 'failed');
// Failed tests are listed one by one, so their step is not.
const problems = failedSteps.filter((step) => step !== 'test' || failed.length === 0);
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');

for (const { file, fullName } of skipped) {
  if (MAY_BE_SKIPPED.some((path) => file.endsWith(path))) process.stdout.write(`skipped here: ${fullName}\n`);
  else problems.push(`skipped: ${fullName}`);
}
for (const { name, status, assertionResults, message } of results.testResults) {
  if (status === 'failed' && assertionResults.every((test) => test.status !== 'failed'))
    problems.push(`${name}: ${message}`);
}
if (passed.length === 0) problems.push('no test ran');
const onPostgres = passed.filter(({ fullName }) => /postgres/i.test(fullName)).length;
process.stdout.write(`${onPostgres} tests passed on PostgreSQL\n`);
if (onPostgres < POSTGRES_TESTS_MIN) problems.push(`only ${onPostgres} tests ran on PostgreSQL`);

// Listed again here, because the output of the test step is far above.
for (const { file, fullName, failureMessages } of failed) {
  process.stdout.write(`FAILED: ${file}: ${fullName}\n${failureMessages.join('\n').slice(0, 2_000)}\n`);
}
for (const problem of problems) process.stdout.write(`FAILED: ${problem}\n`);
// Also counts failures without a failed test: a step, or a file that could not be loaded.
const failures = failed.length + problems.length;
process.stdout.write(`${passed.length} passed, ${failures} failed\n`);
process.exitCode = failures === 0 ? 0 : 1;
