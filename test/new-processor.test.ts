import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { ROOT } from './helpers/source-modules.ts';

/** Less computing in total than with several checkers, which each resolve the same types. */
const TSC = 'tsc --checkers 1';

const NOT_COPIED = new Set(['node_modules', '.git', 'dist', 'data', 'coverage'].map((name) => join(ROOT, name)));

const copy = mkdtempSync(join(tmpdir(), 'refbridge-copy-'));
let asCopied: Map<string, string>;
beforeAll(() => {
  cpSync(ROOT, copy, { recursive: true, filter: (path) => path === ROOT || !NOT_COPIED.has(path) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // biome asks git which files to ignore
  run('git', 'init', '--quiet');
  asCopied = contents();
});
afterAll(() => rmSync(copy, { recursive: true }));

function run(command: string, ...words: string[]) {
  const PATH = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const ours = { CI: '', VITEST: '', VITEST_POOL_ID: '', VITEST_WORKER_ID: '' };
  // the tests of the copy use this run's server, and open no page
  const env = { ...process.env, PATH, ...ours, TEST_DATABASE_URL: inject('postgresUrl'), TEST_PAGES: 'none' };
  return spawnSync(command, words, { cwd: copy, env, encoding: 'utf8' });
}

const newProcessor = (...words: string[]) => run('node', '.ci/new-processor.mjs', ...words);

/** A digest of every file except node_modules, in whose cache other tests create and delete files meanwhile. */
function contents(): Map<string, string> {
  const entries = readdirSync(copy, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules');
  const files = entries.flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(copy, entry.name), { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
      : [entry],
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]));
}

/** Runs what `npm run check` runs; biome, which looks at each file by itself, only on those that differ from ours. */
function check() {
  const differing = [...contents()].filter(([path, digest]) => asCopied.get(path) !== digest).map(([path]) => path);
  expect(differing.length).toBeGreaterThan(10);
  const commands = packageJson.scripts.check.split(' && ');
  expect(commands.slice(0, 2)).toEqual(['biome check .', 'tsc --noEmit']);
  const ours = commands.map((command) =>
    command.replace(/^biome check \.$/, `biome check ${differing.join(' ')}`).replace(/^tsc /, `${TSC} `),
  );
  return run('sh', '-c', ours.join(' && '));
}

/** Runs these test files in the copy; returns how many passed, and the names of those that failed. */
function failuresOf(...words: string[]): { passed: number; failed: string[] } {
  const results = join(copy, 'results.json');
  // one worker, because each loads the whole program
  run('vitest', 'run', '--maxWorkers=1', '--reporter=json', `--outputFile=${results}`, ...words);
  const { testResults, numPassedTests } = JSON.parse(readFileSync(results, 'utf8'));
  rmSync(results);
  const tests = testResults.flatMap(
    (file: { assertionResults: { status: string; fullName: string }[] }) => file.assertionResults,
  );
  const failed = tests.filter(({ status }: { status: string }) => status === 'failed');
  return { passed: numPassedTests, failed: failed.map(({ fullName }: { fullName: string }) => fullName) };
}

describe('npm run new-processor', () => {
  it.each([
    [[], 'Missing argument: <name>.'],
    [['Acme'], 'Acme is not a valid name'],
    [['acme_pay'], 'acme_pay is not a valid name'],
    [['acme-'], 'acme- is not a valid name'],
    [['-acme'], '-acme is not a valid name'],
    [['../acme'], '../acme is not a valid name'],
    [['a'.repeat(41)], 'have at most 40 characters'],
    [['acme', 'pay'], 'Give one name only, not: acme pay'],
    [['stripe'], 'adapters/stripe and fixtures/stripe'],
    [['template'], 'template is a reserved name'],
    [['custom'], 'custom is a reserved name'],
    [['switch'], 'switch is a reserved name'],
    [['await'], 'await is a reserved name'],
    [['sign'], 'sign is a reserved name'],
  ])('refuses %j and says why', (words, reason) => {
    const { status, stdout, stderr } = newProcessor(...words);
    expect(stderr).toContain(reason);
    expect([status, stdout]).toEqual([2, '']);
  });

  it('writes nothing when it refuses', () => {
    expect(contents()).toEqual(asCopied);
    expect(asCopied.size).toBeGreaterThan(500);
  });

  it('explains itself', () => {
    const { status, stdout } = newProcessor('--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: npm run new-processor -- <name>/);
  });

  it('leaves what passes the check, and every test except those that say what to write', () => {
    expect(newProcessor('acme-payments')).toMatchObject({ status: 0, stderr: '' });
    const { status, stdout, stderr } = check();
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    const { passed, failed } = failuresOf(
      ...['test/adapters/contract.test.ts', 'test/adapters/settings.test.ts', 'test/adapters/written.test.ts'],
      ...['test/client/wire.test.ts', 'test/e2e/stories/acme-payments.test.ts'],
      ...['-t', 'acme-payments|Acme Payments|every processor that'],
    );
    expect(failed).toEqual([
      'the files of acme-payments are written, and nothing of the template is left',
      'the files of acme-payments are listed in README.md and adapters/README.md',
    ]);
    expect(passed).toBeGreaterThan(50);
  }, 300_000);

  it('leaves a demo that runs its story', () => {
    const { status, stdout } = run('node', 'src/cli/start.js', 'demo', '--once', '--no-history', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout).sales.map(({ processor }: { processor: string }) => processor)).toContain(
      'acme-payments',
    );
  });

  it('refuses to run twice', () => {
    const before = contents();
    expect(newProcessor('acme-payments')).toMatchObject({ status: 2, stdout: '' });
    expect(contents()).toEqual(before);
  });

  // the first has made the list of names too long for one line
  it('adds another one after the first', () => {
    expect(newProcessor('borealis')).toMatchObject({ status: 0, stderr: '' });
  });
});
