/**
 * node run-payouts.ts <database url> <account id>: one run, beside which something small is written again and again; says
 * in JSON how long it took, how long a write waited at most, and how much memory the process ever had.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { adapters } from '../../../adapters/index.ts';
import { systemClock } from '../../../src/clock.ts';
import { createSealer } from '../../../src/sealer.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { runPayouts } from '../../../src/tracking/payout-run.ts';
import { type DeliveryJob, storeDelivery } from '../../../src/tracking/store-delivery.ts';
import { startOwnTime } from '../../helpers/own-time.ts';

const [url = '', accountId = ''] = process.argv.slice(2);
const database = await openDatabase(url);
const service = {
  database,
  storeDelivery: (job: DeliveryJob) => storeDelivery(database, job),
  clock: systemClock,
  log: pino({ level: 'silent' }),
  adapterFor: (processor: keyof typeof adapters) => adapters[processor](),
  sealer: createSealer(Buffer.alloc(32, 7)),
  baseUrl: 'https://refer.example.com',
  parkedDays: 90,
  deliveryRetentionDays: 90,
  rateLimitPerMinute: 600,
};

let running = true;
let waitedMs = 0;
async function writeBeside(): Promise<void> {
  while (running) {
    const ownMs = await startOwnTime();
    await database.write((tx) => tx.run('UPDATE accounts SET name = name WHERE id = @accountId', { accountId }));
    waitedMs = Math.max(waitedMs, ownMs());
    await sleep(5);
  }
}

const ownMs = await startOwnTime();
const beside = writeBeside();
let progressCount = 0;
const { payoutCount, entryCount, totals } = await runPayouts(
  service,
  accountId,
  {},
  { by: 'test', onProgress: () => (progressCount += 1) },
);
const tookMs = ownMs();
running = false;
await beside;
await database.close();
const memoryMb = process.resourceUsage().maxRSS / 1024;
process.stdout.write(
  `${JSON.stringify({ payoutCount, entryCount, totals, progressCount, tookMs, waitedMs, memoryMb })}\n`,
);
