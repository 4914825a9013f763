/** Measures how long its three seconds take. */
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, startOwnTime } from './own-time.ts';

const ownMs = await startOwnTime();
const startedAt = monotonicMs();
process.stdout.write('waiting\n');
await sleep(3_000);
process.stdout.write(`${JSON.stringify({ ownMs: ownMs(), wallMs: monotonicMs() - startedAt })}\n`);
