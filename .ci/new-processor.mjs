// `npm run new-processor -- <name>`: copies everything a new processor needs from adapters/TEMPLATE and registers it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

const TEMPLATE = 'adapters/TEMPLATE';
const HELP = `Usage: npm run new-processor -- <name>

Creates a processor from ${TEMPLATE}, the complete adapter of a fictitious processor, and registers it.
<name> becomes its URL segment, its value in the database and the name of its folders: lower case, words joined by dashes.

It writes
  adapters/<name>/                       the adapter
  fixtures/<name>/                       payloads with their expected interpretations
  docs/processors/<name>.md              the setup page
  test/e2e/stories/<name>.test.ts        its story over HTTP
  src/cli/demo/stories/<name>.ts         its part of the demo
and adds a line to each of src/core/processor.ts, adapters/index.ts, adapters/settings.ts, adapters/guides.ts and
src/cli/demo/stories.ts.
Then it runs \`npm run generate\`, because the API and the client's types name every processor.

The result passes \`npm run check\` and every test except test/adapters/written.test.ts, which lists what is left to write.

Examples:
  $ npm run new-processor -- acme-pay
  $ npx vitest run test/adapters/written.test.ts`;

/** The folders that are no processor's, and what an adapter's `index.ts` declares besides its own name. */
const RESERVED = new Set('template contract custom read verify interpret sign settings secrets signature'.split(' '));

/** Keeps names readable in lists. */
const NAME_MAX = 40;

const [name, ...others] = process.argv.slice(2);
if (name === '--help' || name === '-h') {
  process.stdout.write(`${HELP}\n`);
} else {
  const refusal = refusalOf(name, others);
  if (refusal === null) writeAll(planFor(name));
  else {
    process.stderr.write(`${refusal}\nAdd --help for usage.\n`);
    process.exitCode = 2;
  }
}

function refusalOf(name, others) {
  if (name === undefined) return 'Missing argument: <name>.';
  if (others.length > 0) return `Give one name only, not: ${[name, ...others].join(' ')}`;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > NAME_MAX) {
    return `${name} is not a valid name: it must look like acme-pay and have at most ${NAME_MAX} characters.`;
  }
  if (RESERVED.has(name) || !canBeDeclared(identifierOf(name))) return `${name} is a reserved name.`;
  const there = placesOf(name).filter((path) => existsSync(path));
  if (there.length > 0) return `${there.join(' and ')} already exists.`;
  return new RegExp(`'${name}'`).test(read('src/core/processor.ts')) ? `${name} is already registered.` : null;
}

/** False for words of the language, such as `switch` and, in a module, `await`. */
function canBeDeclared(identifier) {
  try {
    return Boolean(new Script(`'use strict'; async () => { const ${identifier} = 0; };`));
  } catch {
    return false;
  }
}

function placesOf(name) {
  return [
    `adapters/${name}`,
    `fixtures/${name}`,
    `docs/processors/${name}.md`,
    `test/e2e/stories/${name}.test.ts`,
    `src/cli/demo/stories/${name}.ts`,
  ];
}

/** The full text of every file, by path. Complete before the first file is written, so that a failure writes nothing. */
function planFor(name) {
  const [adapters, fixtures, page, story, demoStory] = placesOf(name);
  const copies = [
    ...filesIn(TEMPLATE).map((file) => [join(TEMPLATE, file), join(adapters, file)]),
    ...filesIn(join(TEMPLATE, 'fixtures')).map((file) => [join(TEMPLATE, 'fixtures', file), join(fixtures, file)]),
    [join(TEMPLATE, 'elsewhere/page.md'), page],
    [join(TEMPLATE, 'elsewhere/story.test.ts.txt'), story],
    [join(TEMPLATE, 'elsewhere/demo-story.ts.txt'), demoStory],
  ];
  const key = name.includes('-') ? `'${name}'` : name;
  const identifier = identifierOf(name);
  return new Map([
    ...copies.map(([from, to]) => [to, renamed(read(from), name)]),
    ...changed('src/core/processor.ts', [[/(PROCESSORS = \[[^\]]*?),?\s*\]/, `$1, '${name}']`]]),
    ...changed('adapters/index.ts', [
      [/(AdapterRegistry = \{[^}]*)\n\};/, `$1\n  ${key}: once(() => import('./${name}/index.ts')),\n};`],
    ]),
    ...changed('adapters/settings.ts', [
      [/\n\n/, `\nimport * as ${identifier} from './${name}/settings.ts';\n\n`],
      [/(EndpointDeclaration> = \{[^}]*)\n\};/, `$1\n  ${entryOf(key, identifier)},\n};`],
    ]),
    ...changed('adapters/guides.ts', [
      [/\n\n/, `\nimport { guide as ${identifier} } from './${name}/guide.ts';\n\n`],
      [/(ProcessorGuide> = \{[^}]*)\n\};/, `$1\n  ${entryOf(key, identifier)},\n};`],
    ]),
    ...changed('src/cli/demo/stories.ts', [
      [/\n\n/, `\nimport { ${identifier} } from './stories/${name}.ts';\n\n`],
      [/(DemoStory> = \{[^}]*)\n\};/, `$1\n  ${entryOf(key, identifier)},\n};`],
    ]),
  ]);
}

function filesIn(folder) {
  return readdirSync(folder).filter((file) => statSync(join(folder, file)).isFile());
}

/** @throws Error if the file no longer contains the text to replace; then this script must be updated */
function changed(path, replacements) {
  let text = read(path);
  for (const [place, replacement] of replacements) {
    if (!place.test(text)) throw new Error(`${path} no longer has a place for a new processor: ${place}`);
    text = text.replace(place, replacement);
  }
  return [[path, text]];
}

/** The template's text with the new name in every spelling. */
function renamed(text, name) {
  return text
    .replaceAll("Adapter<'template'>", 'Adapter')
    .replaceAll(/\b(const|default) template\b/g, `$1 ${identifierOf(name)}`)
    .replaceAll('X-Template-', `X-${titleOf(name).replaceAll(' ', '-')}-`)
    .replaceAll(/\btemplate\b/g, name)
    .replaceAll(/(?<=_)template(?=[_'\]])/g, identifierOf(name))
    .replaceAll(/\bTemplate\b/g, titleOf(name));
}

function identifierOf(name) {
  return name.replaceAll(/-([a-z0-9])/g, (_dash, letter) => letter.toUpperCase());
}

function titleOf(name) {
  return name
    .split('-')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join(' ');
}

function entryOf(key, identifier) {
  return key === identifier ? identifier : `${key}: ${identifier}`;
}

function writeAll(files) {
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const code = [...files.keys()].filter((path) => /\.ts$/.test(path));
  const { status, stderr } = spawnSync('biome', ['check', '--write', ...code], { encoding: 'utf8' });
  if (status !== 0)
    process.stderr.write(`${stderr ?? ''}The files are written, but not formatted: run npm run format.\n`);
  const generated = spawnSync(process.execPath, ['.ci/generate/run.ts'], { encoding: 'utf8' });
  if (generated.status !== 0) process.stderr.write(`${generated.stderr}Fix this, then run npm run generate.\n`);
  process.stdout.write(`${[...files.keys()].join('\n')}\n\nNow: npx vitest run test/adapters/written.test.ts\n`);
}

function read(path) {
  return readFileSync(path, 'utf8');
}
