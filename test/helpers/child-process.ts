import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** For a process that does not inherit this one's environment: compiled modules, with which it starts in half the time. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

export interface Child {
  process: ChildProcess;
  /** Settles when the child has printed `text` on stdout; rejects when it exits without printing it. */
  printed(text: string): Promise<void>;
  /** Settles with everything printed on stdout and stderr, and how it exited. */
  ended: Promise<{ output: string; code: number | null; signal: NodeJS.Signals | null }>;
}

/** Runs a TypeScript file with the Node that runs the tests, and its flags; `through` is a command that starts it (`strace …`). */
export function startChild(
  file: URL,
  parameters: string[],
  through: string[] = [],
  nodeFlags: readonly string[] = [],
): Child {
  const [command = '', ...rest] = [...through, process.execPath, ...nodeFlags, file.pathname, ...parameters];
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString();
    child.emit('printed');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const ended = once(child, 'close').then(([code, signal]) => ({ output, code, signal }));
  return {
    process: child,
    async printed(text) {
      const failed = ended.then(() => Promise.reject(new Error(`The child ended without "${text}": ${output}`)));
      while (!output.includes(text)) await Promise.race([once(child, 'printed'), failed]);
      failed.catch(() => {});
    },
    ended,
  };
}
