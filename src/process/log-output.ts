import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const STDERR = 2;
/** Lines that cannot be written wait here, up to this size; further lines are dropped. */
const WAITING_BYTES_MAX = 1024 * 1024;
const RETRY_MS = 100;

interface LogOutputOptions {
  bytesMax?: number;
  /** Writes some of the bytes, at once or not at all; returns how many. Throws like `fs.writeSync`. */
  writeSome(bytes: Buffer): number;
}

/**
 * A destination for log lines that never blocks, throws or grows. While the output accepts nothing (a pipe that nobody
 * reads, a full disk, a closed pipe), lines wait; when a mebibyte waits, further lines are dropped and counted.
 */
export class LogOutput {
  /** Called once everything that waited is written, with the number of lines dropped meanwhile, at least 1. */
  onRecovered: (droppedLines: number) => void = () => {};
  readonly #bytesMax: number;
  readonly #writeSome: (bytes: Buffer) => number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #retry: NodeJS.Timeout | null = null;
  #droppedLines = 0;
  #droppedSinceRecovery = 0;

  constructor({ bytesMax = WAITING_BYTES_MAX, writeSome }: LogOutputOptions) {
    this.#bytesMax = bytesMax;
    this.#writeSome = writeSome;
  }

  /** The number of lines dropped so far. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > this.#bytesMax) {
      this.#droppedLines += 1;
      this.#droppedSinceRecovery += 1;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#retry === null) this.flush();
  }

  /** Writes as much as the output accepts now. */
  flush(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const written = this.#tryToWrite(next);
      this.#waitingBytes -= written;
      if (written === next.length) {
        this.#waiting.shift();
        continue;
      }
      // the rest of a partly written line comes first, so that lines stay whole
      this.#waiting[0] = next.subarray(written);
      if (written > 0) continue;
      this.#retryLater();
      return;
    }
    this.#reportRecovery();
  }

  #tryToWrite(bytes: Buffer): number {
    try {
      return this.#writeSome(bytes);
    } catch {
      // whatever the error is (EAGAIN, ENOSPC, EPIPE, EIO), it may pass, and there is nowhere to report it
      return 0;
    }
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.flush();
    }, RETRY_MS);
    this.#retry.unref();
  }

  #reportRecovery(): void {
    const droppedLines = this.#droppedSinceRecovery;
    if (droppedLines === 0) return;
    this.#droppedSinceRecovery = 0;
    this.onRecovered(droppedLines);
  }
}

/** The process's stderr. */
export function createStderrOutput(): LogOutput {
  const descriptor = withoutBlocking();
  const output = new LogOutput({ writeSome: (bytes) => writeSync(descriptor, bytes) });
  // the last chance for waiting lines; no listener per log, because there is one output per process
  process.once('exit', () => output.flush());
  return output;
}

/**
 * A descriptor of stderr on which a write that cannot happen now fails with EAGAIN. Writes to files never wait for a
 * reader.
 */
function withoutBlocking(): number {
  if (isatty(STDERR)) {
    try {
      // a terminal that was stopped with Ctrl-S; Node keeps its own descriptor blocking
      return openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      return STDERR;
    }
  }
  // the getter switches pipes and sockets to O_NONBLOCK; an error of the stream must not end the process
  process.stderr.on('error', () => {});
  return STDERR;
}
