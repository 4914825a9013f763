import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import { insertClicks, type NewClick } from './queries/clicks.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

/** Clicks per unit of work. */
const CLICKS_MAX = 512;

interface Batch {
  clicks: NewClick[];
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
export function storeClick(service: Service, click: NewClick): Promise<void> {
  const open = service.state(createOpenBatch);
  if (open.batch === null || open.batch.clicks.length >= CLICKS_MAX) open.batch = startBatch(service);
  open.batch.clicks.push(click);
  return open.batch.written;
}

function startBatch(service: Service): Batch {
  const open = service.state(createOpenBatch);
  const clicks: NewClick[] = [];
  let isAbandoned = false;
  const close = () => {
    if (open.batch === batch) open.batch = null;
  };
  const unit = service.database.write(async (tx) => {
    close();
    if (!isAbandoned) await insertClicks(tx, clicks);
  });
  const abandon = (error: unknown) => {
    isAbandoned = true;
    close();
    throw error;
  };
  const batch: Batch = { clicks, written: withTimeout(unit, DATABASE_TIMEOUT_MS).catch(abandon) };
  return batch;
}
