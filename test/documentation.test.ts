import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { CREDENTIAL_WORDS } from '../.ci/generate/api-page.ts';
import packageJson from '../package.json' with { type: 'json' };
import { serverFlags } from '../src/cli/node-flags.ts';
import { createProgram } from '../src/cli/program.ts';
import { EVENT_TYPES, TEST_EVENT_TYPE } from '../src/core/event.ts';
import { ERROR_STATUS } from '../src/errors.ts';
import { createRoutes } from '../src/http/routes.ts';
import { readConfig } from '../src/process/config.ts';
import { blocksOf, commandsOf, inlineCodeOf, proseOf, readDocumentation, tableOf } from './helpers/markdown.ts';
import { ROOT, readSourceFiles, type SourceFile } from './helpers/source-modules.ts';

const pages = readDocumentation();
const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pageAt = (path: string): SourceFile => ({ path, text: readText(path) });
const api = pageAt('docs/api.md');
const ENVIRONMENT_EXAMPLE = readText('.env.example');

/** The shell text of a page: its shell blocks and inline code. */
const shellOf = (page: SourceFile) => [
  ...[...blocksOf(page, 'sh'), ...blocksOf(page, 'bash')].flatMap(commandsOf),
  ...inlineCodeOf(page),
];

describe('the pages', () => {
  it('are all checked', () => {
    const paths = pages.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'docs/operations.md', 'docs/processors/stripe.md']));
    expect(paths.filter((path) => path.includes('node_modules'))).toEqual([]);
  });

  it('keep inline code on one line, where these checks find it', () => {
    const broken = pages.flatMap((page) =>
      proseOf(page)
        .split('\n')
        .filter((line) => line.split('`').length % 2 === 0)
        .map((line) => `${page.path}: ${line}`),
    );
    expect(broken).toEqual([]);
  });

  it('name only scripts of package.json', () => {
    const scripts = new Set(Object.keys(packageJson.scripts));
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !scripts.has(script))
        .map((script) => `${path}: npm run ${script}`),
    );
    expect(unknown).toEqual([]);
  });

  it('name only existing metrics', () => {
    const kept = new Set(
      `${readText('src/http/prometheus-metrics.ts')} ${readText('src/http/measured-metrics.ts')}`.match(
        /refbridge_\w+/g,
      ),
    );
    const named = new Set(pages.flatMap(({ text }) => text.match(/\brefbridge_[a-z_]+/g) ?? []));
    expect([...named].filter((name) => !kept.has(name.replace(/_(?:bucket|sum|count)$/, '')))).toEqual([]);
    expect(named.size).toBeGreaterThan(2);
  });
});

describe('the table of errors', () => {
  it('matches the one in the code, both ways', () => {
    const documented = tableOf(api, 'status', 'code').map(([status, code = '']) => [
      code.replaceAll('`', ''),
      Number(status),
    ]);
    expect(Object.fromEntries(documented)).toEqual(ERROR_STATUS);
    expect(documented.length).toBe(Object.keys(ERROR_STATUS).length);
  });
});

describe('the environment', () => {
  const examples = [...ENVIRONMENT_EXAMPLE.matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => ({
    name,
    value,
  }));
  const variables = [...readText('src/process/config.ts').matchAll(/^ {4}([A-Z][A-Z_]+): /gm)].map(
    ([, name = '']) => name,
  );

  it('has a line in .env.example for every variable, and no other', () => {
    expect(variables.length).toBeGreaterThan(10);
    expect(examples.map(({ name }) => name).sort()).toEqual(variables.toSorted());
  });

  it('has the defaults that .env.example shows', () => {
    const shown = Object.fromEntries(examples.map(({ name, value }) => [name, value]));
    expect(readConfig(shown)).toEqual(readConfig({}));
  });

  it('is described variable by variable in the page on operations', () => {
    const described = tableOf(pageAt('docs/operations.md'), 'variable').map(([name = '']) => name.replaceAll('`', ''));
    expect(described.sort()).toEqual(variables.toSorted());
  });

  it('reaches the containers of compose.yaml', () => {
    const compose = readText('compose.yaml');
    expect(variables.filter((name) => !new RegExp(`^ +${name}:`, 'm').test(compose))).toEqual([]);
    expect(compose.match(/<<: \*settings/g)).toHaveLength(2);
  });

  it('is listed in the help of serve', () => {
    const help = readText('src/cli/commands/serve.ts');
    expect(variables.filter((name) => !help.includes(name))).toEqual([]);
  });
});

it('the messages to alert on are those of the log', () => {
  const code = readSourceFiles(['src'], ['.ts'])
    .map(({ text }) => text)
    .join('\n');
  const messages = tableOf(pageAt('docs/operations.md'), 'message', 'what to do').map(
    ([cell = '']) => /`([^`…]+)/.exec(cell)?.[1] ?? cell,
  );
  expect(messages.filter((message) => !code.includes(`'${message}`))).toEqual([]);
  expect(messages.length).toBeGreaterThan(10);
});

it('the table of docs/events.md has every type of event that is sent, and no other', () => {
  const documented = tableOf(pageAt('docs/events.md'), 'type', '`data`').flatMap(([cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, type]) => type),
  );
  expect(documented).toEqual([...EVENT_TYPES, TEST_EVENT_TYPE]);
});

describe('the flags of Node', () => {
  it('are explained in docs/operations.md as servers get them, on SQLite and on PostgreSQL', () => {
    const [chapter = ''] = /^### Memory and processors\n.*?(?=^### |^## )/ms.exec(readText('docs/operations.md')) ?? [];
    const listed = [...chapter.matchAll(/`(--[^`]+)`/g)].flatMap(([, flags = '']) => flags.split(' '));
    const flagsFor = (databaseUrl: string) => serverFlags(databaseUrl, { node: '24.21.0' });
    const [ofSqlite, ofPostgres] = [flagsFor('file:./data/refbridge.db'), flagsFor('postgres://host/name')];
    expect(new Set(listed)).toEqual(new Set([...ofSqlite, ...ofPostgres]));
    const onlySqlite = ofSqlite.filter((flag) => !ofPostgres.includes(flag));
    expect(onlySqlite).toEqual(['--max-semi-space-size=2', '--heap-growing-percent=20']);
  });

  it.each(['package.json', 'Dockerfile', 'docs/operations.md'])(
    'are in no command of %s, because a server sets them itself',
    (path) => {
      expect(readText(path)).not.toMatch(/node"?,? "?--(max-semi|heap-growing)/);
    },
  );
});

describe('the version', () => {
  it('is the newest one of the CHANGELOG, or a later one with -dev while there are unreleased changes', () => {
    const [newest = '', released = ''] = [...readText('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, name]) => name);
    const [number = '', suffix] = packageJson.version.split('-');
    const asNumber = (version: string) => version.split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0);
    if (newest !== 'Unreleased') {
      expect(packageJson.version).toBe(newest);
      return;
    }
    expect(suffix).toBe('dev');
    expect(asNumber(number)).toBeGreaterThan(asNumber(released));
  });
});

describe('the commands', async () => {
  const program = await createProgram();

  it.each(pages.map((page) => [page.path, page] as const))('of %s exist, with their options', (_path, page) => {
    const lines = shellOf(page).flatMap((line) => {
      const [, words] = /^(?:npm run (?:-s )?refbridge --|(?:\$ )?refbridge) (.+)$/.exec(line) ?? [];
      return words === undefined ? [] : [words];
    });
    expect(lines.flatMap((line) => commandProblems(program, line))).toEqual([]);
  });

  it('are found in the pages, as are mistakes in them', () => {
    expect(pages.flatMap(shellOf).filter((line) => line.startsWith('refbridge ')).length).toBeGreaterThan(20);
    expect(commandProblems(program, 'sales lists')).toEqual(['there is no command: sales lists']);
    expect(commandProblems(program, 'sales list --partners x')).toEqual(['sales list has no --partners']);
    expect(commandProblems(program, 'doctor --url x')).toEqual(['doctor has no --url']);
    expect(commandProblems(program, 'partners create --name Ana --email "ana --x@example.com"')).toEqual([]);
  });
});

/** Without those that it refuses with an explanation. */
const takenBy = ({ options }: Command) => options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])));

/** The problem in one command line, up to the first pipe or substitution. */
function commandProblems(program: Command, line: string): string[] {
  const words = (line.split(/\s[|<>&]|\$\(/)[0] ?? '').match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  let command = program;
  const path: string[] = [];
  for (const word of words) {
    const found = command.commands.find((candidate) => candidate.name() === word);
    if (found === undefined) break;
    command = found;
    path.push(word);
  }
  const next = words[path.length];
  if (command.commands.length > 0 && next !== undefined && /^\w/.test(next)) {
    return [`there is no command: ${[...path, next].join(' ')}`];
  }
  const known = new Set(['--help', '--version', ...takenBy(command)]);
  return words
    .filter((word) => word.startsWith('--') && !known.has(word.split('=')[0] ?? ''))
    .map((word) => `${path.join(' ')} has no ${word}`);
}

describe('the routes', () => {
  const routes = createRoutes();

  it('match the table of docs/api.md, both ways', () => {
    const documented = tableOf(api, 'route', 'credential').flatMap(([cell = '', credential = '']) =>
      [...cell.matchAll(/`([A-Z ]+) (\/[^`]*)`/g)].flatMap(([, methods = '', path = '']) =>
        methods.split(' ').map((method) => `${method} ${path} ${credential}`),
      ),
    );
    const declared = routes.map(({ method, path, credential }) => `${method} ${path} ${CREDENTIAL_WORDS[credential]}`);
    expect(documented.sort()).toEqual(declared.sort());
  });

  it('are the only ones that the pages name', () => {
    const patterns = routes.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
    const unknown = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/(?<![\w./])\/(?:api|webhooks|health)\/[\w/:…-]+/g)]
        .map(([named]) => named.replace(/\/$/, '/x'))
        .filter((named) => !patterns.some((pattern) => pattern.test(named)))
        .map((named) => `${path}: ${named}`),
    );
    expect(unknown).toEqual([]);
  });
});
