import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { START_PARAMETERS } from '../helpers/start-command.ts';

export interface ServerProcess {
  process: ChildProcess;
  port: number;
}

const ROOT = join(import.meta.dirname, '../..');

/** Starts `<name>.ts` of this folder as a separate process, which prints the port that it listens on. */
export function startServerProcess(name: string, environment: NodeJS.ProcessEnv): Promise<ServerProcess> {
  return start([join(import.meta.dirname, `${name}.ts`)], environment, (child) => child.stdout, Number);
}

/** Starts Refbridge as `npm start` does; the first line of its log contains its URL. */
export function startRefbridge(environment: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const portIn = (line: string) => Number(new URL(JSON.parse(line).url).port);
  return start(START_PARAMETERS, environment, (child) => child.stderr, portIn);
}

async function start(
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
  outputOf: (child: ChildProcessByStdio<null, Readable, Readable>) => Readable,
  portIn: (line: string) => number,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, parameters, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    outputOf(child).once('data', (text) => resolve(portIn(String(text).trim())));
    child.once('exit', (code) => reject(new Error(`${parameters.join(' ')} ended with ${code} before it listened`)));
  });
  child.stdout.resume();
  child.stderr.pipe(process.stderr);
  return { process: child, port };
}
