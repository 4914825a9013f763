/**
 * node run-payouts.ts <database url> <account id>: one run, with small concurrent writes. Reports as JSON how long it took,
 * in how many of its steps others wrote, the maximum number of steps that one of them waited, and the peak memory.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { runPayouts } from '../../../src/payouts/run.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { asId } from '../../helpers/ids.ts';
import { createTestService } from '../../helpers/service.ts';

const [url = '', accountId = ''] = process.argv.slice(2);
const database = await openDatabase(url);
const service = createTestService({ database });

let running = true;
let progressCount = 0;
const stepsWrittenIn = new Set<number>();
let stepsWaited = 0;
async function writeBeside(): Promise<void> {
  while (running) {
    const before = progressCount;
    await database.write((tx) => tx.run('UPDATE accounts SET name = name WHERE id = @accountId', { accountId }));
    stepsWrittenIn.add(progressCount);
    stepsWaited = Math.max(stepsWaited, progressCount - before);
    await sleep(5);
  }
}

const startedAt = performance.now();
const beside = writeBeside();
const { payoutCount, entryCount, totals } = await runPayouts(
  service,
  asId(accountId),
  { at: null, dryRun: false },
  { actor: { kind: 'command_line' }, onProgress: () => (progressCount += 1) },
);
const tookMs = performance.now() - startedAt;
running = false;
await beside;
await database.close();
const memoryMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(
  `${JSON.stringify({
    ...{ payoutCount, entryCount, totals, progressCount, tookMs, memoryMb },
    ...{ stepsWrittenIn: stepsWrittenIn.size, stepsWaited },
  })}\n`,
);
