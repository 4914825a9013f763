import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { runProgram } from '../../src/cli/program.ts';

/** Starts in a tenth less time than `index.ts`, which Node compiles before the compile cache is enabled. */
export const PROGRAM = resolve(import.meta.dirname, '../../src/cli/start.js');

export interface Ended {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** An empty working folder in which commands run. */
export interface Workplace {
  folder: string;
  /** Variables that every command gets, besides the bare necessities. */
  environment: Record<string, string>;
  /** Runs a command inside this process, one at a time, because starting a process takes longer than most commands. */
  run(words: readonly string[], options?: { environment?: Record<string, string> }): Promise<Ended>;
  /** Runs a command as a separate process, when its start, standard input or exit matters. */
  spawn(words: readonly string[], options?: SpawnOptions): Promise<Ended>;
  /** Runs a command that must succeed, with `--json`; returns what it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every shape that there is
  json(...words: string[]): Promise<any>;
  /** Starts a long-running command as a separate process; it ends with the folder at the latest. */
  start(...words: string[]): Running;
  remove(): Promise<void>;
}

export interface SpawnOptions {
  environment?: Record<string, string>;
  input?: string;
  onStart?(pid: number): void;
}

export interface Running {
  process: ChildProcess;
  /** Settles with stderr so far; rejects when the process exits earlier. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends the signal; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function createWorkplace(environment: Record<string, string> = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-cli-'));
  const running: Running[] = [];
  const environmentWith = (more: Record<string, string> = {}): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    HOME: folder,
    ...environment,
    ...more,
  });
  const launch = (words: readonly string[], more?: Record<string, string>) =>
    spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, env: environmentWith(more) });
  const workplace: Workplace = {
    folder,
    environment,
    run: (words, options = {}) => runInside(words, folder, environmentWith(options.environment)),
    async spawn(words, options = {}) {
      const child = launch(words, options.environment);
      if (child.pid !== undefined) options.onStart?.(child.pid);
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

let isRunning = false;

/** Does what `src/cli/index.ts` does, with this process's folder, environment and output temporarily replaced. */
async function runInside(words: readonly string[], folder: string, environment: NodeJS.ProcessEnv): Promise<Ended> {
  if (isRunning) throw new Error(`refbridge ${words.join(' ')}: another command runs inside this process`);
  isRunning = true;
  const usual = { folder: process.cwd(), environment: { ...process.env }, exitCode: process.exitCode };
  const stdout = collectWrites(process.stdout);
  const stderr = collectWrites(process.stderr);
  process.chdir(folder);
  replaceEnvironment(environment);
  process.exitCode = undefined;
  try {
    const exitCode = await runProgram(words);
    return { exitCode: Number(process.exitCode ?? 0) || exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = usual.exitCode;
    replaceEnvironment(usual.environment);
    process.chdir(usual.folder);
    stderr.stop();
    stdout.stop();
    isRunning = false;
  }
}

function replaceEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** Captures what is written to a stream of this process. */
function collectWrites(stream: NodeJS.WriteStream): { text(): string; stop(): void } {
  const written: string[] = [];
  const usual = stream.write;
  stream.write = (chunk: string | Uint8Array) => {
    written.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    return true;
  };
  return {
    text: () => written.join(''),
    stop() {
      stream.write = usual;
    },
  };
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
