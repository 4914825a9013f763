import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from './child-process.ts';
import { startOwnTime } from './own-time.ts';

/** The server in a separate process, on an existing database. */
export interface ServingProcess {
  url: string;
  child: Child;
  /** SIGKILL: no warning, no cleanup. */
  kill(): Promise<void>;
}

export async function startServing(databaseUrl: string): Promise<ServingProcess> {
  const child = startChild(new URL('serve-child.ts', import.meta.url), [databaseUrl]);
  let printed = '';
  child.process.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await child.printed('serving ');
  const [, url = ''] = /serving (\S+)\n/.exec(printed) ?? [];
  return {
    url,
    child,
    async kill() {
      child.process.kill('SIGKILL');
      await child.ended;
    },
  };
}

/** Requests the URL repeatedly until `signal`; returns the slowest answer, in milliseconds of `startOwnTime`. */
export async function slowestAnswer(url: string, signal: AbortSignal): Promise<number> {
  let slowest = 0;
  while (!signal.aborted) {
    const ownMs = await startOwnTime();
    const response = await fetch(url);
    await response.arrayBuffer();
    slowest = Math.max(slowest, ownMs());
    await sleep(5);
  }
  return slowest;
}
