/** A row of a text. */
export interface ParsedRow {
  /** The place of the line break that ends the row, in the piece that it ends in. */
  end: number;
  cells: string[];
  /** Those between the cells. */
  separators: string;
  /** How many line breaks its quoted cells have. */
  breaks: number;
  /** Text follows a closing quote: the quotes may have swallowed separators and line breaks. */
  isFlawed: boolean;
}

/** Parses a row that may arrive in hundreds of pieces, each piece once. It keeps no text but that of the cells. */
export class CsvRowParser {
  readonly #separatedBy: string;
  readonly #cells: string[] = [];
  #cell = '';
  #separators = '';
  #breaks = 0;
  #isFlawed = false;
  /** `quote` is after a quote that ends the quoted text, unless another one follows. */
  #within: 'blanks' | 'text' | 'quotes' | 'quote' | 'end' = 'blanks';
  #lastCharacter = '';

  constructor(separatedBy: string) {
    this.#separatedBy = separatedBy;
  }

  /** The number of cells that have ended. */
  get cellCount(): number {
    return this.#cells.length;
  }

  /**
   * The row; null while its end is missing.
   *
   * @param piece what follows the last piece; that of a row's end may go on behind it
   */
  parse(piece: string): ParsedRow | null {
    let start = 0;
    for (let place = 0; place < piece.length; place += 1) {
      const character = piece[place] as string;
      if (this.#within === 'quotes') {
        if (character === '\n' ? this.#before(piece, place) !== '\r' : character === '\r') this.#breaks += 1;
        if (character !== '"') continue;
        this.#cell += piece.slice(start, place);
        start = place + 1;
        this.#within = 'quote';
        continue;
      }
      if (this.#within === 'quote') {
        // the second of two is text, and begins what is copied next
        this.#within = character === '"' ? 'quotes' : 'end';
        if (character === '"') continue;
      }
      if (character === '\n' || character === '\r') {
        this.#endCell(piece.slice(start, place));
        const [cells, separators, breaks, isFlawed] = [this.#cells, this.#separators, this.#breaks, this.#isFlawed];
        return { end: place, cells, separators, breaks, isFlawed };
      }
      if (this.#separatedBy.includes(character)) {
        this.#endCell(piece.slice(start, place));
        start = place + 1;
        this.#separators += character;
        this.#within = 'blanks';
      } else if (character === '"' && this.#within === 'blanks') {
        this.#cell += piece.slice(start, place);
        start = place + 1;
        this.#within = 'quotes';
      } else if (character.trim() !== '') {
        if (this.#within === 'end') this.#isFlawed = true;
        else this.#within = 'text';
      }
    }
    this.#cell += piece.slice(start);
    this.#lastCharacter = piece.at(-1) ?? this.#lastCharacter;
    return null;
  }

  #before(piece: string, place: number): string | undefined {
    return place === 0 ? this.#lastCharacter : piece[place - 1];
  }

  #endCell(rest: string): void {
    this.#cells.push((this.#cell + rest).trim());
    this.#cell = '';
  }
}
