import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import type { PartnerId, ProgramId } from '../core/ids.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { insertClicks, type NewClick } from './queries/clicks.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

/** Clicks per unit of work. */
const CLICKS_MAX = 512;

/** A click, and for whom it counts. */
export interface CountedClick extends NewClick {
  programId: ProgramId;
  partnerId: PartnerId;
}

interface Batch {
  clicks: CountedClick[];
  written: Promise<void>;
}

/** The batch that a click can still join; null when none is waiting. */
const createOpenBatch = () => ({ batch: null as Batch | null });

/**
 * Stores a click. Clicks that arrive while a unit of work is queued share it, and so its commit.
 *
 * @throws ServiceError `UNAVAILABLE` when the database does not answer within a second; a batch that has not started by
 * then is discarded
 */
export function storeClick(service: Service, click: CountedClick): Promise<void> {
  const open = service.state(createOpenBatch);
  if (open.batch === null || open.batch.clicks.length >= CLICKS_MAX) open.batch = startBatch(service);
  open.batch.clicks.push(click);
  return open.batch.written;
}

/** Adds clicks with new ids, and counts those that count by the hour, and by the day for their partners and programs. */
export async function addClicks(tx: Transaction, clicks: readonly CountedClick[]): Promise<void> {
  await insertClicks(tx, clicks);
  // one id for all, so that a batch changes one row of each program
  const id = clicks[0]?.id ?? '';
  const counted = clicks.filter(({ isRepeat }) => isRepeat !== true);
  countResults(
    tx,
    counted.map(({ programId, partnerId, linkId, createdAt }) => {
      return { programId, partnerId, linkId, id, createdAt, currency: null, clicks: 1 };
    }),
  );
}

function startBatch(service: Service): Batch {
  const open = service.state(createOpenBatch);
  const clicks: CountedClick[] = [];
  let isAbandoned = false;
  const close = () => {
    if (open.batch === batch) open.batch = null;
  };
  const unit = service.database.write(async (tx) => {
    close();
    if (!isAbandoned) await addClicks(tx, clicks);
  });
  const abandon = (error: unknown) => {
    isAbandoned = true;
    close();
    throw error;
  };
  const batch: Batch = { clicks, written: withTimeout(unit, DATABASE_TIMEOUT_MS).catch(abandon) };
  return batch;
}
