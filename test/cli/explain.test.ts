import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../helpers/source-modules.ts';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace({});
const file = join(ROOT, 'fixtures/shopify/orders_paid.json');

beforeAll(async () => {
  await workplace.json('setup');
});
afterAll(() => workplace.remove());

it('refbridge explain says what a file would become, and stores nothing', async () => {
  const endpoint = await workplace.json('endpoints', 'create', '--processor', 'shopify', '--secret', 'shpss_example');
  const words = ['explain', file, '--endpoint', endpoint.id, '--header', 'x-shopify-topic: orders/paid'];
  const told = await workplace.json(...words);
  expect(told).toMatchObject({ eventType: 'orders/paid', outcome: 'unattributed', partnerId: null });
  expect(told.attribution.steps[0]).toMatchObject({ result: 'not_found' });
  const { stdout, exitCode } = await workplace.run(words);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/outcome +unattributed/)]);
  expect((await workplace.json('parked', 'list')).data).toEqual([]);
  expect((await workplace.run(['explain', file])).exitCode).toBe(2);
  expect((await workplace.run(['explain', 'nothing.json', '--processor', 'shopify'])).exitCode).toBe(2);
});

it('shows the commission of a step as money', async () => {
  const partner = ['--name', 'Ana', '--email', 'ana@example.com', '--code', 'FERNFRIEND10'];
  await workplace.json('partners', 'create', ...partner);
  const words = ['explain', file, '--endpoint', 'shopify', '--header', 'x-shopify-topic: orders/paid', '--as-new'];
  const { stdout } = await workplace.run(words);
  expect(stdout).toMatch(/^commission +19\.80 USD$/m);
  expect(stdout).toMatch(/^commission +19\.80 USD +noted +20% of the sale/m);
});

it('says which header is missing for a body of Shopify, whose topic is not in it', async () => {
  const { outcome, reason } = await workplace.json('explain', file, '--processor', 'shopify');
  expect(outcome).toBe('unknown');
  expect(reason).toContain('X-Shopify-Topic');
});

it('lets no name that a buyer has typed control the terminal', async () => {
  const typed = join(workplace.folder, 'typed.json');
  await writeFile(typed, (await readFile(file, 'utf8')).replace('"Ines"', String.raw`"Ines\u009b2J\u202e"`));
  const words = ['explain', typed, '--processor', 'shopify', '--header', 'x-shopify-topic: orders/paid'];
  const { stdout } = await workplace.run(words);
  expect(stdout).toContain('Ines·2J·');
  expect(stdout).not.toMatch(/[\u009b\u202e]/);
});
