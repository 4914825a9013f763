import { readSourceFiles, type SourceFile } from './source-modules.ts';

/** Every page of the documentation. */
export function readDocumentation(): SourceFile[] {
  return readSourceFiles(['.'], ['.md']).filter(
    ({ path }) => !/(^|\/)(node_modules|dist|dist-client|data|\.git)\//.test(path),
  );
}

/** The contents of the fenced code blocks in a language, in order. */
export function blocksOf({ text }: SourceFile, language: string): string[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, , named]) => named === language)
    .map(([, indentation = '', , block = '']) => block.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''));
}

/** The commands of shell text: joins continued lines, omits comments. */
export function commandsOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The text without code blocks. */
export function proseOf({ text }: SourceFile): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** The anchors of the headings, as GitHub makes them; headings of one page have different texts. */
export function anchorsOf(page: SourceFile): Set<string> {
  const headings = [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The text in backticks within a line. */
export function inlineCodeOf(page: SourceFile): string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** The cells of the rows of the table that starts with these headings. */
export function tableOf({ text }: SourceFile, ...headings: string[]): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => headings.every((heading, n) => cellsOf(line)[n] === heading));
  if (start < 0) throw new Error(`There is no table of ${headings.join(', ')}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end < 0 ? undefined : end).map(cellsOf);
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
