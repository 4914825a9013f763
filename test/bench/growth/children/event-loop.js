/**
 * Loaded into the server before its own code: on SIGUSR2, writes the longest delay of its event loop since the previous
 * signal. JavaScript, because TypeScript would load Node's compiler into every thread: 12 MB that no server takes.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 5;
const file = process.env.EVENT_LOOP_FILE;

if (isMainThread && file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  process.on('SIGUSR2', () => {
    // each value includes the pause between two samples
    writeFileSync(file, String(Math.max(0, delays.max / 1e6 - RESOLUTION_MS)));
    delays.reset();
  });
}
