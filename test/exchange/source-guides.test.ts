import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SOURCES } from '../../src/exchange/sources/index.ts';
import { createWorkplace } from '../cli/run-cli.ts';
import { blocksOf, commandsOf } from '../helpers/markdown.ts';
import { ROOT } from '../helpers/source-modules.ts';
import { runImport, SOURCE_FIXTURES } from './sources/index.ts';

const workplace = createWorkplace({ BASE_URL: 'https://refer.example.com' });
const accounts: Record<string, string> = {};
beforeAll(async () => {
  for (const { name } of SOURCES)
    accounts[name] = (await workplace.json('accounts', 'create', '--name', name)).accountId;
});
afterAll(() => workplace.remove());

it.each(SOURCES.map(({ name }) => name))('the page about %s has commands that work as shown', async (name) => {
  const path = `docs/moving/${name}.md`;
  const page = { path, text: readFileSync(join(ROOT, path), 'utf8') };
  const commands = blocksOf(page, 'sh')
    .flatMap(commandsOf)
    .map((command) => command.split(/\s+/).slice(1))
    .filter(([command]) => command === 'import');
  expect(commands).toHaveLength(2);
  const answers: string[] = [];
  for (const words of commands) {
    const { exitCode, stderr } = await runImport(workplace, [...words, '--account', accounts[name] ?? '']);
    // every fixture contains a record that must be refused
    expect(exitCode, stderr).toBe(1);
    answers.push(stderr.trim());
  }
  expect(answers[0]).toMatch(/partner: [12] would be created, .*left out; nothing was stored\.$/s);
  expect(answers[1]).toMatch(/partner: [12] created, .*left out\.$/s);
  for (const file of ['trial', 'report']) expect(existsSync(join(workplace.folder, `${name}-${file}.csv`))).toBe(true);
  const secrets = Object.values(SOURCE_FIXTURES[name]?.environment ?? {}).filter((value) =>
    value.includes('of_a_test'),
  );
  for (const secret of secrets) expect(answers.join()).not.toContain(secret);
});

it('a missing secret is read from standard input, and any other missing value is named', async () => {
  const words = ['import', 'tolt', '--account', accounts.tolt ?? ''];
  const { exitCode, stderr } = await workplace.spawn(words, { input: 'tolt_of_a_test\n' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Tolt needs TOLT_PROGRAM_ID: set it in the environment.');
});
