import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorkplace } from '../cli/run-cli.ts';
import { blocksOf, commandsOf } from '../helpers/markdown.ts';
import { ROOT } from '../helpers/source-modules.ts';

const path = 'docs/moving/csv.md';
const page = { path, text: readFileSync(join(ROOT, path), 'utf8') };
const FILES = [...page.text.matchAll(/^`(\S+\.csv)`:\n\n```csv\n([\s\S]*?)^```$/gm)];
const COMMANDS = blocksOf(page, 'sh')
  .flatMap(commandsOf)
  .map((command) => [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word).slice(1));

const workplace = createWorkplace({ BASE_URL: 'https://refer.example.com' });
beforeAll(() => workplace.json('setup'));
afterAll(() => workplace.remove());

it('the page about CSV files has files and commands that work as shown', async () => {
  expect(FILES.map(([, name]) => name)).toEqual([
    'partners.csv',
    'links.csv',
    'customers.csv',
    'commissions.csv',
    'payouts.csv',
  ]);
  for (const [, name = '', text = ''] of FILES) writeFileSync(join(workplace.folder, name), text);
  expect(COMMANDS).toHaveLength(6);
  const answers: string[] = [];
  for (const words of COMMANDS) {
    const { exitCode, stderr } = await workplace.run(words);
    expect(exitCode, `${words.join(' ')}: ${stderr}`).toBe(0);
    answers.push(stderr);
  }
  expect(answers[0]).toContain('2 rows: 2 would be created, 0 would be changed, 0 unchanged, 0 refused; nothing was');
  expect(answers[1]).toContain('2 rows: 2 created, 0 changed, 0 unchanged, 0 refused.');
  expect(answers[2]).toContain('Columns not read: Clicks');
  expect(answers[4]).toContain('3 rows: 3 created');
  expect(answers[5]).toContain('1 row: 0 created, 1 changed, 0 unchanged, 0 refused.');
  const earned = (await workplace.json('ledger', 'list')).data.map(({ reason }: { reason: string }) => reason);
  expect(earned).toContain('Old service, commission c_2');
  expect((await workplace.json('payouts', 'list', '--status', 'paid')).data).toMatchObject([{ amount: 980 }]);
  // its commission was agreed there, whatever the program's terms are
  expect((await workplace.json('sales', 'show', 'in_1002')).terms).toBeNull();
  const shown = await workplace.run(['sales', 'show', 'in_1002']);
  expect(shown.stdout).toMatch(/^terms +not applied: the commission was imported$/m);
  const report = readFileSync(join(workplace.folder, 'partners-report.csv'), 'utf8');
  expect(report).toContain('3,created,bob@example.com,\r\n');
  const links = (await workplace.json('links', 'list')).data.map(({ shortLink }: { shortLink: string }) => shortLink);
  expect(links.toSorted()).toEqual(['https://refer.example.com/ana', 'https://refer.example.com/bob']);
  expect((await workplace.json('partners', 'list')).data).toMatchObject([
    { name: 'Bob & Sons, Ltd', discountCodes: [] },
    { name: 'Ana Ünal', discountCodes: ['ANA10'] },
  ]);
});

it('a refused row ends with exit code 1 and its reason, a wrong mapping with 2', async () => {
  writeFileSync(join(workplace.folder, 'bad.csv'), 'email\nnobody\n');
  const refused = await workplace.run(['import', 'csv', 'bad.csv', '--kind', 'partners']);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/✗ line 2 \(nobody\): .*email/) });
  const mapping = ['--kind', 'partners', '--map', 'mail=email'];
  const wrong = await workplace.run(['import', 'csv', 'bad.csv', ...mapping]);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('mail: is not a column of the file') });
});
