import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { freePort } from '../helpers/free-port.ts';
import { blocksOf, commandsOf, tableOf } from '../helpers/markdown.ts';
import { ROOT, type SourceFile } from '../helpers/source-modules.ts';
import { createWorkplace } from './run-cli.ts';
import { visit } from './visit.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({ PORT: String(port), HOST: '127.0.0.1', BASE_URL: url });
const readText = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

beforeAll(async () => {
  const server = workplace.start('serve');
  await server.saw(/listening/);
  const { apiKey } = await workplace.json('setup');
  const partner = await workplace.json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
  const link = ['--partner', partner.id, '--key', 'ana', '--url', 'https://shop.example.com/'];
  const { shortLink } = await workplace.json('links', 'create', ...link);
  const lead = await fetch(`${url}/api/track/lead`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ clickId: await visit(shortLink), eventName: 'Sign up', customerExternalId: 'user_42' }),
  });
  expect(lead.status).toBe(200);
});
afterAll(() => workplace.remove());

describe.each(PROCESSORS)('the page of %s', (processor) => {
  const page: SourceFile = {
    path: `docs/processors/${processor}.md`,
    text: readText('docs/processors', `${processor}.md`),
  };

  it('has commands that work as shown; sent twice, one of them makes one sale for the customer who signed up', async () => {
    const words = ['endpoints', 'create', '--processor', processor, '--secret', `whsec_of_${processor}`];
    const { id } = await workplace.json(...words, '--accept-test-events');
    const commands = commandsOf(blocksOf(sectionOf(page, 'Try it'), 'sh').join('\n'))
      .filter((line) => line.startsWith('refbridge '))
      .map((line) => wordsOf(line.replaceAll('whe_…', id)).slice(1));
    expect(commands.length).toBeGreaterThan(1);
    let told = '';
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await workplace.run(command);
      // a slow machine sees how far it is
      const problems = stderr.replaceAll(/^\d+ of \d+ delivered\n/gm, '');
      expect([command.join(' '), exitCode, problems]).toEqual([command.join(' '), 0, '']);
      if (command.includes('--repeat')) told = stdout;
    }
    expect(told).toMatch(/^sale +1 /m);
    expect(told).toMatch(/^duplicate +1 /m);
    const { data } = await workplace.json('sales', 'list', '--customer', 'user_42', '--processor', processor);
    expect(data.length).toBeGreaterThan(0);
  });

  it('explains only errors that the code produces, with their exact messages', () => {
    const sources = [`adapters/${processor}/verify.ts`, 'adapters/contract/signatures.ts', 'src/deliveries/receive.ts'];
    const said = messagesIn(sources.map((path) => readText(path)).join(''));
    const documented = refusalsOf(page);
    expect(documented.length).toBeGreaterThan(4);
    const missing = documented.flatMap(fragmentsOf).filter((fragment) => !said.includes(fragment));
    expect(missing).toEqual([]);
  });
});

function sectionOf(page: SourceFile, heading: string): SourceFile {
  const [, section] = page.text.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`${page.path} has no section ${heading}`);
  return { ...page, text: section.split('\n## ')[0] ?? '' };
}

/** The words of a command line, as a shell splits them. */
function wordsOf(line: string): string[] {
  return (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}

/**
 * Source text with its messages as users see them: strings joined, constants inserted, the first of two alternatives
 * chosen.
 */
function messagesIn(source: string): string {
  const constants = new Map([...source.matchAll(/const (\w+) = (\d+);/g)].map(([, name, value]) => [name, value]));
  return source
    .replaceAll(/['`"] \+\n\s*['`"]/g, '')
    .replaceAll(/\$\{(\w+)\}/g, (whole, name) => constants.get(name) ?? whole)
    .replaceAll(/\$\{[^}]*\? '([^']*)' : [^}]*\}/g, '$1');
}

function refusalsOf(page: SourceFile): string[] {
  return tableOf(page, 'message').flatMap(([message = '']) => message.split(' / '));
}

/** The fixed parts of a message: without markup, `…`, numbers and examples. */
function fragmentsOf(message: string): string[] {
  return message
    .replaceAll('`', '')
    .split(/…|\*n\*|whe_…|X-Shopify-…/)
    .map((fragment) => fragment.trim().replace(/^[\s;:]+|[\s;:]+$/g, ''))
    .filter((fragment) => fragment.length > 3);
}
