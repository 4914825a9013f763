import { TextDecoder } from 'node:util';
import { refused } from './manifest.ts';

/** A row of a CSV file; `line` is the line of its first character, from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

const ROW_CHARACTERS_MAX = 1_000_000;

/**
 * The rows of a CSV file (RFC 4180), one at a time: separated by commas, or by semicolons or tabs where the first row
 * has more of them. Quoted cells may contain line breaks. Empty rows are skipped.
 *
 * @throws ServiceError `VALIDATION_ERROR` when the file is not UTF-8, ends inside quotes, or has a row of more than a
 *   million characters
 */
export async function* readCsv(file: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow> {
  const reader = new CsvReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of file) yield* reader.add(decoded(decoder, chunk));
  yield* reader.add(decoded(decoder));
  yield* reader.end();
}

/** The text of the next chunk; without a chunk, the remaining text. */
function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (error) {
    throw refused('The file is not UTF-8: save it as "CSV UTF-8", and import it again', error);
  }
}

class CsvReader {
  #separator: string | null = null;
  #waiting = '';
  #line = 1;

  *add(chunk: string): Generator<CsvRow> {
    this.#waiting += chunk;
    // a quote or line break at the very end may belong to a pair that the next chunk completes
    for (let end = this.#endOfRow(); end !== -1 && end < this.#waiting.length - 1; end = this.#endOfRow()) {
      yield* this.#take(end);
    }
    if (this.#waiting.length > ROW_CHARACTERS_MAX) {
      throw refused(`The row at line ${this.#line} has more than a million characters: is a quote missing?`);
    }
  }

  *end(): Generator<CsvRow> {
    if (!/[\r\n]$/.test(this.#waiting)) this.#waiting += '\n';
    for (let end = this.#endOfRow(); end !== -1; end = this.#endOfRow()) yield* this.#take(end);
    if (this.#waiting !== '')
      throw refused(`The file ends inside the quotes that begin in the row at line ${this.#line}`);
  }

  /** The place of the line break that ends the first row; -1 without one. */
  #endOfRow(): number {
    let isQuoted = false;
    for (let place = 0; place < this.#waiting.length; place += 1) {
      const character = this.#waiting[place];
      if (character === '"') isQuoted = !isQuoted;
      else if (!isQuoted && (character === '\n' || character === '\r')) return place;
    }
    return -1;
  }

  *#take(end: number): Generator<CsvRow> {
    const text = this.#waiting.slice(0, end);
    const isPair = this.#waiting[end] === '\r' && this.#waiting[end + 1] === '\n';
    this.#waiting = this.#waiting.slice(end + (isPair ? 2 : 1));
    const line = this.#line;
    this.#line += 1 + (text.match(/\r\n|\r|\n/g)?.length ?? 0);
    if (text.trim() === '') return;
    this.#separator ??= separatorOf(text);
    yield { line, cells: cellsOf(text, this.#separator) };
  }
}

function separatorOf(heading: string): string {
  const count = (separator: string) => heading.split(separator).length;
  return [',', ';', '\t'].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place] as string;
    if (character === '"' && isQuoted && text[place + 1] === '"') {
      cell += '"';
      place += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  return [...cells, cell.trim()];
}
