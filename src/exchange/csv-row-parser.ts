/** A row at the beginning of a text. */
export interface ParsedRow {
  /** The place of the line break that ends the row. */
  end: number;
  cells: string[];
  /** Those between the cells. */
  separators: string;
  /** How many line breaks its quoted cells have. */
  breaks: number;
  /** Text follows a closing quote: the quotes may have swallowed separators and line breaks. */
  isFlawed: boolean;
}

/** Parses the row at the beginning of a text that grows, each character once: a row may arrive in hundreds of pieces. */
export class CsvRowParser {
  readonly #separatedBy: string;
  readonly #cells: string[] = [];
  #cell = '';
  #separators = '';
  #breaks = 0;
  #isFlawed = false;
  #within: 'blanks' | 'text' | 'quotes' | 'end' = 'blanks';
  #place = 0;
  #row: ParsedRow | null = null;

  constructor(separatedBy: string) {
    this.#separatedBy = separatedBy;
  }

  /** Those that have ended so far. */
  get cellCount(): number {
    return this.#cells.length;
  }

  /**
   * The row; null while its end is missing.
   *
   * @param text that of the last call, with more at its end
   */
  parse(text: string): ParsedRow | null {
    this.#row ??= this.#read(text);
    return this.#row;
  }

  #read(text: string): ParsedRow | null {
    let start = this.#place;
    for (; this.#place < text.length; this.#place += 1) {
      const place = this.#place;
      const character = text[place] as string;
      if (this.#within === 'quotes') {
        if (character === '\n' ? text[place - 1] !== '\r' : character === '\r') this.#breaks += 1;
        if (character !== '"') continue;
        const next = text[place + 1];
        // it may be the first of two
        if (next === undefined) break;
        this.#cell += text.slice(start, place);
        start = place + 1;
        if (next === '"') this.#place += 1;
        else this.#within = 'end';
      } else if (character === '\n' || character === '\r') {
        this.#endCell(text.slice(start, place));
        const [cells, separators, breaks, isFlawed] = [this.#cells, this.#separators, this.#breaks, this.#isFlawed];
        return { end: place, cells, separators, breaks, isFlawed };
      } else if (this.#separatedBy.includes(character)) {
        this.#endCell(text.slice(start, place));
        start = place + 1;
        this.#separators += character;
        this.#within = 'blanks';
      } else if (character === '"' && this.#within === 'blanks') {
        this.#cell += text.slice(start, place);
        start = place + 1;
        this.#within = 'quotes';
      } else if (character.trim() !== '') {
        if (this.#within === 'end') this.#isFlawed = true;
        else this.#within = 'text';
      }
    }
    this.#cell += text.slice(start, this.#place);
    return null;
  }

  #endCell(rest: string): void {
    this.#cells.push((this.#cell + rest).trim());
    this.#cell = '';
  }
}
