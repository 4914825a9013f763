/** Measures how long half a second takes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, startOwnTime } from './own-time.ts';

const ownMs = await startOwnTime();
const startedAt = monotonicMs();
process.stdout.write('waiting\n');
await sleep(500);
process.stdout.write(`${JSON.stringify({ ownMs: ownMs(), wallMs: monotonicMs() - startedAt })}\n`);
