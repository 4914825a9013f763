/** Repeatedly checks whether the machine stalls; see `own-time.ts`. Ends with its process. */
import { fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { LATE_MS, monotonicMs, PAUSE_MS } from './own-time.ts';

const seen: Float64Array = workerData;
const never = new Int32Array(new SharedArrayBuffer(4));
const folder = mkdtempSync(join(tmpdir(), 'refbridge-own-time-'));
const file = openSync(join(folder, 'page'), 'w');
rmSync(folder, { recursive: true });

let standstillMs = 0;
let usualMs = look();

for (;;) {
  const lateMs = Math.max(LATE_MS, 4 * usualMs);
  const tookMs = look();
  if (tookMs > lateMs) standstillMs += tookMs - PAUSE_MS;
  else usualMs += (tookMs - usualMs) / 8;
  seen.set([standstillMs, monotonicMs(), lateMs]);
}

function look(): number {
  const from = monotonicMs();
  Atomics.wait(never, 0, 0, PAUSE_MS);
  writeSync(file, 'x', 0);
  fsyncSync(file);
  return monotonicMs() - from;
}
