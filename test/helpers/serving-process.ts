import { setTimeout as sleep } from 'node:timers/promises';
import { serverFlags } from '../../src/cli/node-flags.ts';
import { type Child, startChild } from './child-process.ts';
import { startOwnTime } from './own-time.ts';
import { ownThreadsMs, processorWaitMs } from './processor-waits.ts';

/** The server in a separate process, on an existing database. */
export interface ServingProcess {
  url: string;
  child: Child;
  /** SIGKILL: no warning, no cleanup. */
  kill(): Promise<void>;
}

/**
 * Starts it with the flags of `npm start`: without them, its memory grows by chance.
 *
 * @param clock `still` to stop it, or by how many milliseconds it is ahead
 */
export async function startServing(databaseUrl: string, clock: 'still' | number = 0): Promise<ServingProcess> {
  const file = new URL('serve-child.ts', import.meta.url);
  const child = startChild(file, [databaseUrl, String(clock)], [], serverFlags(databaseUrl));
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

/**
 * Asks the process repeatedly until `signal` whether it is live; returns the slowest answer, in milliseconds of
 * `startOwnTime`, without the time for which other processes kept that process and this one from a processor.
 */
export async function slowestAnswer({ url, child }: ServingProcess, signal: AbortSignal): Promise<number> {
  const server = child.process.pid ?? 0;
  const look = () => ({
    here: processorWaitMs(process.pid) ?? 0,
    there: processorWaitMs(server) ?? 0,
    ownThreads: ownThreadsMs(server),
  });
  let slowest = 0;
  while (!signal.aborted) {
    const ownMs = await startOwnTime();
    const before = look();
    const response = await fetch(`${url}/health/live`);
    await response.arrayBuffer();
    const after = look();
    const ownThreads = Math.max(0, after.ownThreads - before.ownThreads);
    const there = Math.max(0, after.there - before.there - ownThreads);
    slowest = Math.max(slowest, ownMs(after.here - before.here + there));
    await sleep(5);
  }
  return slowest;
}
