import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from './child-process.ts';

/** The server in a process of its own, on a database that exists. */
export interface ServingProcess {
  url: string;
  /** From the process's own start to the moment it listened. */
  startedWithinMs: number;
  child: Child;
  /** SIGKILL: nothing is told, nothing is finished. */
  kill(): Promise<void>;
}

export async function startServing(databaseUrl: string): Promise<ServingProcess> {
  const child = startChild(new URL('serve-child.ts', import.meta.url), [databaseUrl]);
  let printed = '';
  child.process.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await child.printed(' ms\n');
  const [, url = '', startedWithinMs = ''] = /serving (\S+) in (\d+) ms/.exec(printed) ?? [];
  return {
    url,
    startedWithinMs: Number(startedWithinMs),
    child,
    async kill() {
      child.process.kill('SIGKILL');
      await child.ended;
    },
  };
}

/** Another process's resident memory in megabytes; Linux only. */
export async function residentMegabytesOf({ child }: ServingProcess): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const status = await readFile(`/proc/${child.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

/** How long the fastest possible answer of a URL takes, again and again until `signal`; the longest of them in ms. */
export async function slowestAnswer(url: string, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const response = await fetch(url);
    await response.arrayBuffer();
    slowest = Math.max(slowest, performance.now() - startedAt);
    await sleep(5);
  }
  return slowest;
}
