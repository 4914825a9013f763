/**
 * How many deliveries a second each adapter verifies, reads and interprets, one after the other, in one thread. To run
 * it alone: node test/bench/adapters.ts
 */
import { adapters } from '../../adapters/index.ts';
import type { Fact } from '../../src/core/facts.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { DEFAULT_SETTINGS, type Fixture, loadFixtures } from '../adapters/fixtures.ts';

/**
 * Minimum rates. Shopify and Polar have none, because their packages import the key again for each delivery, on another
 * thread.
 */
export const ADAPTER_TARGETS: Partial<Record<Processor, number>> = { stripe: 5_000, paddle: 5_000 };

const SECRETS = { secrets: ['whsec_of_the_benchmark'], authorization: null, shopDomain: null };
const BYTES = 2_048;
const WARM_UP_MS = 300;
const MEASURED_MS = 1_000;

export interface AdapterSpeed {
  processor: Processor;
  bytes: number;
  perSecond: number;
}

/** Each processor in turn. */
export async function benchAdapters(): Promise<AdapterSpeed[]> {
  const speeds: AdapterSpeed[] = [];
  for (const processor of PROCESSORS) speeds.push(await benchAdapter(processor));
  return speeds;
}

async function benchAdapter(processor: Processor): Promise<AdapterSpeed> {
  const adapter = await adapters[processor]();
  const { rawBody, eventType } = await paymentOf(processor);
  const request = { rawBody, headers: adapter.sign(rawBody, SECRETS, Date.now(), eventType) };
  const takeOne = async () => {
    await adapter.verify(request, SECRETS, Date.now());
    const interpretation = adapter.interpret(adapter.read(request), request.headers, DEFAULT_SETTINGS);
    if (interpretation.kind !== 'facts') throw new Error(`${processor}: ${interpretation.reason}`);
  };
  await countFor(WARM_UP_MS, takeOne);
  const startedAt = performance.now();
  const count = await countFor(MEASURED_MS, takeOne);
  const perSecond = Math.round((count / (performance.now() - startedAt)) * 1000);
  return { processor, bytes: rawBody.length, perSecond };
}

/** The payment fixture closest to 2 KB, minified as processors send it. */
async function paymentOf(processor: Processor): Promise<Fixture> {
  const payments = (await loadFixtures(processor))
    .filter(({ settings }) => !settings.acceptTestEvents)
    .filter(({ interpretation }) => interpretation.kind === 'facts' && interpretation.facts.some(isPayment))
    .map((fixture) => ({
      ...fixture,
      rawBody: Buffer.from(JSON.stringify(JSON.parse(fixture.rawBody.toString('utf8')))),
    }))
    .sort((a, b) => Math.abs(a.rawBody.length - BYTES) - Math.abs(b.rawBody.length - BYTES));
  if (payments[0] === undefined) throw new Error(`fixtures/${processor} has no payment`);
  return payments[0];
}

function isPayment({ kind }: Fact): boolean {
  return kind === 'payment.received';
}

async function countFor(ms: number, takeOne: () => Promise<void>): Promise<number> {
  const end = performance.now() + ms;
  let count = 0;
  while (performance.now() < end) {
    await takeOne();
    count += 1;
  }
  return count;
}

/** A line per processor, for people. */
export function adapterLines(speeds: readonly AdapterSpeed[]): string[] {
  return speeds.map(({ processor, bytes, perSecond }) => {
    const target = ADAPTER_TARGETS[processor];
    const judged = target === undefined ? '' : ` (to reach: ${target})`;
    return `${processor.padEnd(16)}${perSecond} deliveries of ${bytes} bytes a second verified, read and interpreted${judged}`;
  });
}

if (import.meta.main) process.stdout.write(`${adapterLines(await benchAdapters()).join('\n')}\n`);
