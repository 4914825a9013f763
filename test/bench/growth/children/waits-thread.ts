/** Sends health checks and clicks until it is told to stop; posts the longest waits once it has begun, and on every message. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { startOwnTime } from '../../../helpers/own-time.ts';
import { createClient, type TimedRequest } from '../client.ts';
import type { LongestWaits, ToWaitsThread, WaitsThreadData } from '../waits.ts';

/** The pause between two checks. */
const PAUSE_MS = 10;
const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const { port, click }: WaitsThreadData = workerData;
const { send, close } = createClient(port);
let isStopping = false;
let longest: LongestWaits = { healthMs: 0, clickMs: 0 };

async function repeat(request: TimedRequest, waited: keyof LongestWaits): Promise<void> {
  while (!isStopping) {
    const ownMs = await startOwnTime();
    await send(request);
    longest[waited] = Math.max(longest[waited], ownMs());
    await sleep(PAUSE_MS);
  }
}

await startOwnTime();
const watching = Promise.all([
  repeat({ path: '/health/live' }, 'healthMs'),
  repeat({ path: click.path, headers: { host: click.host, 'user-agent': BROWSER } }, 'clickMs'),
]);

parentPort?.postMessage(longest);
parentPort?.on('message', async (message: ToWaitsThread) => {
  if (message === 'stop') {
    isStopping = true;
    await watching;
    close();
  }
  parentPort?.postMessage(longest);
  longest = { healthMs: 0, clickMs: 0 };
  if (message === 'stop') parentPort?.close();
});
