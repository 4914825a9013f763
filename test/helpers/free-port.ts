import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';

/** Below the ports of outgoing connections, so that the port is still free when a server starts to listen on it. */
const FIRST = 20_000;
const LAST = 32_000;
/**
 * The processes of a run: as many workers as its configuration allows, and the one that starts them. Each takes ports of its
 * own, because those that another one has just looked at or taken are free until a server listens on them.
 */
const PROCESSES = Math.max(4, availableParallelism());
const OWN = Number(process.env.VITEST_POOL_ID ?? 0) % PROCESSES;

/** Those that were returned, or that others listen on. */
const taken = new Set<number>();

/** A port that no server listens on. No other call in the run returns it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + OWN + PROCESSES * randomInt(Math.floor((LAST - FIRST) / PROCESSES));
    if (taken.has(port)) continue;
    taken.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  probe.listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
