import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** The longest delay of the server's event loop since the last call, in milliseconds. */
  longestDelayMs(): Promise<number>;
  stop(): Promise<void>;
}

const EVENT_LOOP_WATCH = join(import.meta.dirname, 'children/event-loop.js');

/** Starts the server twice, because the first start fills the cache of compiled code; the second one is measured. */
export async function serve(dataset: Dataset): Promise<Serving> {
  await stopProcess(await startRefbridge(dataset.environment));
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-delays-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'delay');
  const watched = { NODE_OPTIONS: `--import ${EVENT_LOOP_WATCH}`, EVENT_LOOP_FILE: file };
  const startedAt = performance.now();
  const server = await startRefbridge({ ...dataset.environment, ...watched });
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
  const longestDelayMs = async () => {
    rmSync(file, { force: true });
    server.process.kill('SIGUSR2');
    return delayIn(file);
  };
  return { dataset, port: server.port, pid, start, longestDelayMs, stop };
}

/** Reads what the server writes, as soon as it is there. */
async function delayIn(file: string): Promise<number> {
  for (;;) {
    try {
      const text = readFileSync(file, 'utf8');
      if (text !== '') return Number(text);
    } catch {
      // not written yet
    }
    await sleep(READY_PAUSE_MS);
  }
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
