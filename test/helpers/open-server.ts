import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { COMPILE_CACHE } from './child-process.ts';
import { freePort } from './free-port.ts';
import { START_PARAMETERS } from './start-command.ts';

/** A server in its own process, started as `npm start` does. */
export interface OpenServer {
  child: ChildProcess;
  url: string;
  port: number;
}

/** @param stderr where its log goes: a descriptor, or `pipe` for a pipe that nobody reads */
export async function startOpenServer(folder: string, stderr: number | 'pipe'): Promise<OpenServer> {
  const port = await freePort();
  const child = spawn(process.execPath, START_PARAMETERS, {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      PATH: process.env.PATH,
      ...COMPILE_CACHE,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: `file:${join(folder, 'refbridge.db')}`,
    },
    stdio: ['ignore', 'ignore', stderr],
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => statusOf(`${url}/health/live`)).toBe(200);
  return { child, url, port };
}

/** The status of an answer; null without one. */
export async function statusOf(url: string): Promise<number | null> {
  const response = await fetch(url).catch(() => null);
  await response?.arrayBuffer();
  return response?.status ?? null;
}
