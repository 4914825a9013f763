import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerProcess, startRefbridge } from '../server-process.ts';
import { createClient } from './client.ts';
import type { Dataset } from './dataset.ts';
import { residentMegabytesOf } from './process-io.ts';
import type { SizeResult } from './results.ts';

const READY_PAUSE_MS = 5;

/** The server of one database, as `npm start` starts it. */
export interface Serving {
  dataset: Dataset;
  port: number;
  pid: number;
  start: SizeResult['start'];
  stop(): Promise<void>;
}

/** Starts the server twice, because the first start fills the cache of compiled code; the second one is measured. */
export async function serve(dataset: Dataset): Promise<Serving> {
  await stopProcess(await startRefbridge(dataset.environment));
  const startedAt = performance.now();
  const server = await startRefbridge(dataset.environment);
  const kill = () => void server.process.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    await stopProcess(server);
    process.off('exit', kill);
  };
  await untilReady(server.port);
  const readyMs = performance.now() - startedAt;
  const pid = server.process.pid ?? 0;
  const start = { readyMs, residentMegabytes: residentMegabytesOf(pid) };
  return { dataset, port: server.port, pid, start, stop };
}

async function untilReady(port: number): Promise<void> {
  const { send, close } = createClient(port);
  while ((await send({ path: '/health/ready' })).status !== 200) await sleep(READY_PAUSE_MS);
  close();
}

async function stopProcess({ process: child }: ServerProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGINT');
  await once(child, 'exit');
}
