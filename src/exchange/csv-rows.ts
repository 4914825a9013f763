import { TextDecoder } from 'node:util';
import { CsvRowParser, type ParsedRow } from './csv-row-parser.ts';
import { refused } from './manifest.ts';

/** A row of a CSV file; `line` is the line of its first character, from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
  /** What separates the cells of the file. */
  separator: string;
  /** Why the cells cannot be trusted. */
  flaw?: string;
}

const ROW_CHARACTERS_MAX = 1_000_000;
/** Each heading is compared with the names of all fields. */
const HEADINGS_MAX = 1_000;

/**
 * The rows of a CSV file (RFC 4180), one at a time: separated by commas, or by semicolons or tabs where the first row
 * has more of them, or is a line such as `sep=;` for spreadsheets. Quoted cells may contain line breaks; in other cells, a
 * quote is text. Rows of empty cells are skipped.
 *
 * @throws ServiceError `VALIDATION_ERROR` when the file is neither UTF-8 nor marked as UTF-16, ends inside quotes, or has
 *   a row of more than a million characters, or more than a thousand headings
 */
export async function* readCsv(file: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRow> {
  const reader = new CsvReader();
  for await (const text of textOf(file)) yield* reader.add(text);
  yield* reader.end();
}

async function* textOf(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  let waiting = Buffer.alloc(0);
  for await (const chunk of file) {
    waiting = Buffer.concat([waiting, chunk]);
    if (waiting.length < MARK_BYTES) continue;
    decoder ??= decoderFor(waiting);
    yield decoded(decoder, waiting, { stream: true });
    waiting = Buffer.alloc(0);
  }
  yield decoded(decoder ?? decoderFor(waiting), waiting);
}

const MARK_BYTES = 2;

/** Excel's "Unicode Text", and exports of some other programs, are UTF-16 with a byte order mark. */
function decoderFor([first, second]: Uint8Array): TextDecoder {
  const isLittle = first === 0xff && second === 0xfe;
  const isBig = first === 0xfe && second === 0xff;
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true });
}

function decoded(decoder: TextDecoder, bytes: Uint8Array, options?: { stream: true }): string {
  try {
    return decoder.decode(bytes, options);
  } catch (error) {
    throw refused('The file is not UTF-8: save it as "CSV UTF-8", and import it again', error);
  }
}

const SEPARATORS = ',;\t';

class CsvReader {
  #separator: string | null = null;
  #hasHeadings = false;
  /** The first row so far, whose separator is not known yet. */
  #first = '';
  #heading = new CsvRowParser(SEPARATORS);
  #row: CsvRowParser | null = null;
  /** Of the row that has not ended. */
  #characters = 0;
  #line = 1;
  #isAfterReturn = false;

  *add(piece: string): Generator<CsvRow> {
    if (piece === '') return;
    let rest = this.#isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#isAfterReturn = false;
    while (rest !== '') {
      let stated: string | undefined;
      if (this.#row === null && this.#separator === null) {
        this.#first += rest;
        const heading = this.#parse(this.#heading, rest);
        if (heading === null) break;
        stated = SEPARATOR_LINE.exec(this.#first.slice(0, this.#first.length - rest.length + heading.end))?.[1];
        this.#row = new CsvRowParser(mostFrequent(heading.separators));
        // with a single separator, it may end elsewhere
        rest = this.#first;
        this.#characters = 0;
      }
      this.#row ??= new CsvRowParser(this.#separator ?? ',');
      const row = this.#parse(this.#row, rest);
      if (row === null) break;
      yield* this.#take(row, stated);
      this.#isAfterReturn = rest[row.end] === '\r' && row.end === rest.length - 1;
      rest = rest.slice(row.end + (rest.startsWith('\r\n', row.end) ? 2 : 1));
      this.#characters = 0;
    }
    this.#characters += rest.length;
    if (this.#characters > ROW_CHARACTERS_MAX) {
      throw refused(`The row at line ${this.#line} has more than a million characters: is a quote missing?`);
    }
  }

  *end(): Generator<CsvRow> {
    if (this.#characters === 0) return;
    yield* this.add('\n');
    if (this.#characters > 0) {
      throw refused(`The file ends inside the quotes that begin in the row at line ${this.#line}`);
    }
  }

  #parse(parser: CsvRowParser, piece: string): ParsedRow | null {
    const row = parser.parse(piece);
    if (!this.#hasHeadings && parser.cellCount > HEADINGS_MAX) {
      throw refused(`The row at line ${this.#line} has more than a thousand headings: delete columns, also empty ones`);
    }
    return row;
  }

  *#take({ cells, separators, breaks, isFlawed }: ParsedRow, stated: string | undefined): Generator<CsvRow> {
    const line = this.#line;
    const lastLine = line + breaks;
    this.#line = lastLine + 1;
    this.#first = '';
    this.#heading = new CsvRowParser(SEPARATORS);
    this.#row = null;
    // spreadsheets write only separators for rows that were emptied
    if (cells.every((cell) => cell === '')) return;
    this.#separator ??= stated ?? separators[0] ?? ',';
    if (stated !== undefined) return;
    this.#hasHeadings = true;
    const row = { line, cells, separator: this.#separator };
    const flaw = isFlawed ? QUOTES : cells.some((cell) => cell.includes('\0')) ? NUL : null;
    yield flaw === null ? row : { ...row, flaw: `${linesText(line, lastLine)}: ${flaw}` };
  }
}

const SEPARATOR_LINE = /^sep=([,;\t])$/i;

function mostFrequent(separators: string): string {
  const count = (separator: string) => separators.split(separator).length;
  return [...SEPARATORS].reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

const QUOTES =
  'text follows a closing quote. Quote the whole cell and double each quote inside it, or remove the quotes';
const NUL = 'a character is NUL, as in UTF-16 without a byte order mark: save the file as "CSV UTF-8"';

function linesText(first: number, last: number): string {
  return first === last ? `Line ${first}` : `Lines ${first} to ${last}`;
}
