import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import { insertClicks, type NewClick } from './queries/clicks.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

/** One unit of work holds up to so many clicks. */
const CLICKS_MAX = 512;

interface Batch {
  clicks: NewClick[];
  written: Promise<void>;
}

/** The batch that a click may still join: null when none waits. */
const createOpenBatch = () => ({ batch: null as Batch | null });

/**
 * Stores a click. Those that come while a unit of work waits for its turn share it, and so its commit.
 *
 * @throws ServiceError `UNAVAILABLE` when the database does not answer within a second; what was not begun by then is
 * not recorded any more
 */
export function storeClick(service: Service, click: NewClick): Promise<void> {
  const open = service.state(createOpenBatch);
  if (open.batch === null || open.batch.clicks.length >= CLICKS_MAX) open.batch = beginBatch(service);
  open.batch.clicks.push(click);
  return open.batch.written;
}

function beginBatch(service: Service): Batch {
  const open = service.state(createOpenBatch);
  const clicks: NewClick[] = [];
  let isGivenUp = false;
  const close = () => {
    if (open.batch === batch) open.batch = null;
  };
  const unit = service.database.write(async (tx) => {
    close();
    if (!isGivenUp) await insertClicks(tx, clicks);
  });
  const giveUp = (error: unknown) => {
    isGivenUp = true;
    close();
    throw error;
  };
  const batch: Batch = { clicks, written: withTimeout(unit, DATABASE_TIMEOUT_MS).catch(giveUp) };
  return batch;
}
