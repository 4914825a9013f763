/**
 * node run-payouts.ts <database url> <account id>: one run, with small concurrent writes, then ends the first payout.
 * Reports as JSON: how long each took, the run without the time for which it waited for a processor; in how many steps of
 * the run other writes were committed, the longest wait of such a write in steps and in time, and the peak memory. With
 * `--kill-after <slices>`, kills itself right after that many slices.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runPayouts } from '../../../src/payouts/run.ts';
import { finishSettling } from '../../../src/payouts/settle.ts';
import { settlePayout } from '../../../src/payouts/states.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { asId } from '../../helpers/ids.ts';
import { processorWaitMs } from '../../helpers/processor-waits.ts';
import { createTestService } from '../../helpers/service.ts';

const [url = '', account = '', option, value] = process.argv.slice(2);
const accountId = asId<'acc'>(account);
const killAfter = option === '--kill-after' ? Number(value) : Number.POSITIVE_INFINITY;
const actor = { kind: 'command_line' } as const;
const database = await openDatabase(url);
const service = createTestService({ database });

let isRunning = true;
let progressCount = 0;
const stepsWrittenIn = new Set<number>();
const waits: number[] = [];
let stepsWaited = 0;
async function writeBeside(): Promise<void> {
  while (isRunning) {
    const before = progressCount;
    const startedAt = performance.now();
    await database.write((tx) => tx.run('UPDATE accounts SET name = name WHERE id = @accountId', { accountId }));
    stepsWrittenIn.add(progressCount);
    stepsWaited = Math.max(stepsWaited, progressCount - before);
    waits.push(performance.now() - startedAt);
    await sleep(5);
  }
}

function onProgress(): void {
  progressCount += 1;
  if (progressCount >= killAfter) process.kill(process.pid, 'SIGKILL');
}

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
// a first turn of the event loop, from which delays are measured
await sleep(10);
const beside = writeBeside();
const cpuStarted = process.cpuUsage();
const waitedBeforeMs = processorWaitMs(process.pid) ?? 0;
const startedAt = performance.now();
const run = await runPayouts(service, accountId, { at: null, dryRun: false }, { actor, onProgress });
const tookMs = performance.now() - startedAt - ((processorWaitMs(process.pid) ?? 0) - waitedBeforeMs);
const cpuMs = process.cpuUsage(cpuStarted).user / 1000 + process.cpuUsage(cpuStarted).system / 1000;
const endStartedAt = performance.now();
const [first] = run.data;
if (first) await settlePayout(service, accountId, first.id, { status: 'failed', note: null, actor });
await finishSettling(service, accountId);
const endTookMs = performance.now() - endStartedAt;
isRunning = false;
await beside;
await database.close();
const { payoutCount, entryCount, totals, failed } = run;
const waitedMs = waits.toSorted((a, b) => a - b);
process.stdout.write(
  `${JSON.stringify({
    ...{ payoutCount, entryCount, totals, failed, progressCount, tookMs, cpuMs, endTookMs },
    stepsWrittenIn: stepsWrittenIn.size,
    stepsWaited,
    waitedMsMax: waitedMs.at(-1),
    waitedMsP99: waitedMs[Math.floor(waitedMs.length * 0.99)],
    stallMsMax: delay.max / 1e6,
    stallMsP99: delay.percentile(99) / 1e6,
    memoryMb: process.resourceUsage().maxRSS / 1024,
  })}\n`,
);
