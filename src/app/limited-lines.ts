/** Lines per second. */
const LINES_MAX = 20;
const SECOND_MS = 1_000;

/**
 * Limits log lines that anybody can cause to 20 a second, so that nobody can fill the disk with them. Those beyond are
 * counted, for one line at the end of that second.
 */
export class LimitedLines {
  readonly #logRest: (count: number) => void;
  #lineCount = 0;
  #secondEnds: NodeJS.Timeout | null = null;

  /** @param logRest called at the end of a second that had more lines */
  constructor(logRest: (count: number) => void) {
    this.#logRest = logRest;
  }

  /** Counts a line. False when this second's lines are used up, so that it must not be written. */
  take(): boolean {
    if (this.#secondEnds === null) {
      this.#secondEnds = setTimeout(() => this.#endSecond(), SECOND_MS);
      this.#secondEnds.unref();
    }
    this.#lineCount += 1;
    return this.#lineCount <= LINES_MAX;
  }

  #endSecond(): void {
    const restCount = this.#lineCount - LINES_MAX;
    this.#secondEnds = null;
    this.#lineCount = 0;
    if (restCount > 0) this.#logRest(restCount);
  }
}
