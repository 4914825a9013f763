/** Looks again and again whether the machine stands still; see `own-time.ts`. It ends with its process. */
import { fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { monotonicMs, PAUSE_MS, USUAL_MS } from './own-time.ts';

const seen: Float64Array = workerData;
const never = new Int32Array(new SharedArrayBuffer(4));
const folder = mkdtempSync(join(tmpdir(), 'refbridge-own-time-'));
const file = openSync(join(folder, 'page'), 'w');
rmSync(folder, { recursive: true });

for (;;) {
  const from = monotonicMs();
  Atomics.wait(never, 0, 0, PAUSE_MS);
  writeSync(file, 'x', 0);
  fsyncSync(file);
  const now = monotonicMs();
  if (now - from > USUAL_MS) seen[0] = (seen[0] ?? 0) + now - from - PAUSE_MS;
  seen[1] = now;
}
