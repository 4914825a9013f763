import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export interface ServerProcess {
  process: ChildProcess;
  port: number;
}

/** Starts `<name>.ts` of this folder as a process of its own; it prints the port that it listens on. */
export async function startServerProcess(name: string, environment: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(Number(String(text).trim())));
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it listened`)));
  });
  return { process: child, port };
}
