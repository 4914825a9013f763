import type { Logger } from 'pino';
import type { Service } from '../app/service.ts';

/** Refusals of strangers that get their own log line, per second. */
const LINES_PER_SECOND = 20;
const SECOND_MS = 1_000;

type Level = 'debug' | 'info' | 'warn';

/** A refused request. */
export interface Refusal {
  level: Level;
  /** True when the request carried no valid credential, so that anybody could have sent it. */
  isStranger: boolean;
  members: Record<string, unknown>;
}

/**
 * Logs refused requests, one line each. Beyond 20 in a second, refusals of strangers are only counted, in one line at
 * the end of that second: nobody without a credential can fill the disk with log lines.
 */
class RefusalLog {
  readonly #log: Logger;
  #lineCount = 0;
  #unloggedCount = 0;
  #secondEnds: NodeJS.Timeout | null = null;

  constructor(log: Logger) {
    this.#log = log;
  }

  write({ level, isStranger, members }: Refusal): void {
    if (!this.#log.isLevelEnabled(level)) return;
    if (isStranger && !this.#countLine()) this.#unloggedCount += 1;
    else this.#log[level](members, 'refused');
  }

  /** False when this second's lines are used up. */
  #countLine(): boolean {
    if (this.#secondEnds === null) {
      this.#secondEnds = setTimeout(() => this.#endSecond(), SECOND_MS);
      this.#secondEnds.unref();
    }
    this.#lineCount += 1;
    return this.#lineCount <= LINES_PER_SECOND;
  }

  #endSecond(): void {
    const count = this.#unloggedCount;
    this.#secondEnds = null;
    this.#lineCount = 0;
    this.#unloggedCount = 0;
    if (count > 0) this.#log.info({ count }, 'refused more requests without a valid credential in this second');
  }
}

/** The log of this service's refusals. */
export const createRefusalLog = ({ log }: Service) => new RefusalLog(log);
