import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const PROGRAM = resolve(import.meta.dirname, '../../src/cli/index.ts');

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** A working folder with nothing in it, where commands run as real processes. */
export interface Workplace {
  folder: string;
  /** Variables that every command gets, besides the bare necessities. */
  environment: Record<string, string>;
  run(words: readonly string[], options?: { environment?: Record<string, string>; input?: string }): Promise<Ended>;
  /** Runs a command that must succeed, with `--json`; returns what it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape that there is
  json(...words: string[]): Promise<any>;
  /** Starts a command that goes on; ended with the workplace at the latest. */
  start(...words: string[]): Running;
  remove(): Promise<void>;
}

export interface Running {
  process: ChildProcess;
  /** Settles with what stderr had until then; rejects when the process ends before. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function createWorkplace(environment: Record<string, string> = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-cli-'));
  const running: Running[] = [];
  const launch = (words: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [PROGRAM, ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...environment, ...more },
    });
  const workplace: Workplace = {
    folder,
    environment,
    async run(words, options = {}) {
      const child = launch(words, options.environment);
      child.stdin.end(options.input ?? '');
      const ended = once(child, 'close');
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const [exitCode] = await ended;
      return { exitCode, stdout, stderr };
    },
    async json(...words) {
      const { exitCode, stdout, stderr } = await workplace.run([...words, '--json']);
      if (exitCode !== 0) throw new Error(`refbridge ${words.join(' ')} ended with ${exitCode}: ${stderr}`);
      return JSON.parse(stdout);
    },
    start(...words) {
      const started = follow(launch(words));
      running.push(started);
      return started;
    },
    async remove() {
      await Promise.all(running.map((started) => started.stop('SIGKILL')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return workplace;
}

function follow(child: ChildProcess): Running {
  let output = '';
  const ended = once(child, 'close');
  const listeners = new Set<() => void>();
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    for (const listener of listeners) listener();
  });
  return {
    process: child,
    saw(pattern) {
      const { promise, resolve: settle, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = () => {
        const found = pattern.exec(output);
        if (found !== null) settle(found);
      };
      listeners.add(look);
      look();
      ended.then(() => reject(new Error(`It ended before ${pattern}: ${output}`)));
      return promise.finally(() => listeners.delete(look));
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [exitCode] = await ended;
      return exitCode;
    },
  };
}
