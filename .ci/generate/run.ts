// `npm run generate`: writes the files derived from the declared routes. A test compares them with the committed ones.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateFiles } from './files.ts';

const ROOT = join(import.meta.dirname, '../..');

for (const [path, text] of await generateFiles()) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  const isNew = readOrEmpty(file) !== text;
  if (isNew) writeFileSync(file, text);
  process.stdout.write(`${isNew ? 'written  ' : 'unchanged'} ${path}\n`);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
