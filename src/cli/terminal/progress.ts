/** A line on the terminal that shows how far a command has come. */
export interface Progress {
  /** Replaces the line, at most five times a second. */
  show(text: string): void;
  /** Removes the line, so that the next output does not follow it. */
  clear(): void;
}

const PAUSE_MS = 200;
const CLEAR_LINE = '\r\u001b[2K';

/** The line that stands on the terminal, if any: a command has one at a time. */
let standing: Progress | null = null;

/** Removes the line that stands, so that what is printed now does not follow it. */
export function clearProgress(): void {
  standing?.clear();
}

/** Shows progress on stderr if it is a terminal; not in a file or a pipe, and not with `--json`. */
export function createProgress(
  { json }: { json?: true | undefined },
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
): Progress {
  if (json || !stream.isTTY) return { show() {}, clear() {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  const progress: Progress = {
    show(text) {
      const now = performance.now();
      if (now - shownAt < PAUSE_MS) return;
      shownAt = now;
      standing = progress;
      stream.write(`${CLEAR_LINE}${text}`);
    },
    clear() {
      if (standing !== progress) return;
      standing = null;
      shownAt = Number.NEGATIVE_INFINITY;
      stream.write(CLEAR_LINE);
    },
  };
  return progress;
}

/** A count for people: `1,500,000`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 payout`, `2,000 payouts` */
export function counted(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}
