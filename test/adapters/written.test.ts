import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { ROOT } from '../helpers/source-modules.ts';

/** Marks what still has to be written in files that `npm run new-processor` copies. */
const TO_WRITE = /TEMPLATE: *(.*)/;

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function filesOf(processor: string): string[] {
  const inFolder = (folder: string) => readdirSync(join(ROOT, folder)).map((file) => join(folder, file));
  return [
    ...inFolder(`adapters/${processor}`),
    ...inFolder(`fixtures/${processor}`),
    `docs/processors/${processor}.md`,
    `src/cli/demo/stories/${processor}.ts`,
    `test/e2e/stories/${processor}.test.ts`,
  ];
}

/** The marked lines of a file; a fixture is a single line. */
function toWrite(processor: string): string[] {
  const asked = filesOf(processor).flatMap((path) => {
    const shown = path.startsWith('fixtures/') ? `fixtures/${processor}` : path;
    if (!existsSync(join(ROOT, path))) return [`${shown}: there is no such file`];
    const [, sentence] = TO_WRITE.exec(readText(path)) ?? [];
    return sentence === undefined ? [] : [`${shown}: ${sentence}`];
  });
  return [...new Set(asked)];
}

describe.each(PROCESSORS)('the files of %s', (processor) => {
  test('are written, and nothing of the template is left', () => {
    expect(toWrite(processor)).toEqual([]);
  });

  test('are listed in README.md and adapters/README.md', () => {
    const linked = readText('README.md').match(/(?<=\]\()docs\/processors\/[^)]+/g);
    expect(linked).toContain(`docs/processors/${processor}.md`);
    const [header = ''] = readText('adapters/README.md').match(/^\| {2,}\|.*$/m) ?? [];
    expect(header.toLowerCase().replaceAll(' ', '')).toContain(`|${processor.replaceAll('-', '')}|`);
  });
});
