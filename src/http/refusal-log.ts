import type { Logger } from 'pino';
import { LimitedLines } from '../app/limited-lines.ts';
import type { Service } from '../app/service.ts';

type Level = 'debug' | 'info' | 'warn';

/** A refused request. */
export interface Refusal {
  level: Level;
  /** True when the request carried no valid credential, so that anybody could have sent it. */
  isStranger: boolean;
  members: Record<string, unknown>;
}

/** Logs refused requests, one line each; the lines of strangers are limited. */
class RefusalLog {
  readonly #log: Logger;
  readonly #strangersLines: LimitedLines;

  constructor(log: Logger) {
    this.#log = log;
    this.#strangersLines = new LimitedLines((count) =>
      log.info({ count }, 'refused more requests without a valid credential in this second'),
    );
  }

  write({ level, isStranger, members }: Refusal): void {
    if (!this.#log.isLevelEnabled(level)) return;
    if (!isStranger || this.#strangersLines.take()) this.#log[level](members, 'refused');
  }
}

/** The log of this service's refusals. */
export const createRefusalLog = ({ log }: Service) => new RefusalLog(log);
