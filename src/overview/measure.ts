import type { Attention, Measurements } from '../app/metrics.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, ProgramId } from '../core/ids.ts';
import { messageOf } from '../errors.ts';
import { RecentResults } from '../results/recent.ts';
import type { Transaction } from '../storage/database.ts';
import { sumDueOfPrograms } from './due.ts';
import { countTransfers, findAccountIds, findLastDeliveries, findOldestEventDueAt } from './queries/measures.ts';
import { countAttention, findPrograms, type ProgramOverview, sumPayouts } from './queries/overview.ts';

/** How long a measurement is reused. */
const PAUSE_MS = 15_000;
/** Longer on large databases, so that measuring takes at most a twentieth of the report thread's time. */
const PAUSE_PER_DURATION = 20;

/** Measures the whole database for the metrics at intervals. */
class Gauge {
  readonly #service: Service;
  readonly #results = new RecentResults();
  #latest: Measurements | null = null;
  #endedAt = 0;
  #pauseMs = 0;
  #measuring: Promise<void> | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The latest measurement, at most 15 s old unless measuring is slow or fails; null when it has never succeeded. */
  async read(): Promise<Measurements | null> {
    // the clock may have been set back
    if (Math.abs(this.#service.clock() - this.#endedAt) >= this.#pauseMs) {
      this.#measuring ??= this.#measure().finally(() => {
        this.#measuring = null;
      });
      await this.#measuring;
    }
    return this.#latest;
  }

  async #measure(): Promise<void> {
    const { clock, log } = this.#service;
    const startedAt = performance.now();
    try {
      this.#latest = await measureNow(this.#service, this.#results);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'measuring for the metrics failed');
    }
    this.#endedAt = clock();
    this.#pauseMs = Math.max(PAUSE_MS, (performance.now() - startedAt) * PAUSE_PER_DURATION);
  }
}

async function measureNow({ database, clock }: Service, results: RecentResults): Promise<Measurements> {
  const now = clock();
  const disk = await database.diskUse();
  const measured = await database.report(async (tx) => {
    const attention = {
      failedDeliveries: 0,
      deadDeliveries: 0,
      parkedPayments: 0,
      flaggedSales: 0,
      heldPayouts: 0,
      openDisputes: 0,
    };
    const due = new Map<string, { currency: string; count: number; amount: number }>();
    const programIds: ProgramId[] = [];
    for (const accountId of await findAccountIds(tx)) {
      const counts = await countAttention(tx, accountId);
      for (const name of Object.keys(attention) as Attention[]) attention[name] += counts[name];
      const { programs } = await findPrograms(tx, accountId);
      programIds.push(...programs.map(({ id }) => id));
      await addDue(tx, accountId, { programs, due, now });
    }
    const days = await results.read(tx, programIds, now);
    const endpoints = await findLastDeliveries(tx);
    const oldestEventDueAt = await findOldestEventDueAt(tx);
    const transfers = await countTransfers(tx);
    return { attention, due: [...due.values()], endpoints, oldestEventDueAt, transfers, days };
  });
  const { days, ...rest } = measured;
  const { engine, schemaVersion } = database;
  return { engine, schemaVersion, measuredAt: now, disk, ...rest, results: results.add(days, now) };
}

interface DueSoFar {
  programs: readonly ProgramOverview[];
  /** By currency. */
  due: Map<string, { currency: string; count: number; amount: number }>;
  now: number;
}

async function addDue(tx: Transaction, accountId: AccountId, { programs, due, now }: DueSoFar): Promise<void> {
  const queued = await sumPayouts(tx, accountId, { status: 'queued' });
  const currencies = queued.map(({ currency }) => currency);
  for (const { currency, count, amount } of await sumDueOfPrograms(tx, accountId, programs, { currencies, now })) {
    const sum = due.get(currency) ?? { currency, count: 0, amount: 0 };
    due.set(currency, { currency, count: sum.count + count, amount: sum.amount + amount });
  }
}

const createGauge = (service: Service) => new Gauge(service);

/** Measurements of the whole database for the metrics. The first call starts the counts of clicks, leads and sales. */
export function measure(service: Service): Promise<Measurements | null> {
  return service.state(createGauge).read();
}
