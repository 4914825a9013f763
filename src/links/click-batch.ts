import { perDatabase } from '../app/per-database.ts';
import type { Database } from '../storage/database.ts';
import { insertClicks, type NewClick } from './queries/clicks.ts';
import { inTime } from './timeout.ts';

/** One unit of work holds up to so many clicks. */
const CLICKS_MAX = 512;

interface Batch {
  clicks: NewClick[];
  written: Promise<void>;
}

/** The batch that a click may still join: null when none waits. */
const openBatches = perDatabase(() => ({ batch: null as Batch | null }));

/**
 * Stores a click. Those that come while a unit of work waits for its turn share it, and so its commit.
 *
 * @throws ServiceError `UNAVAILABLE` when the database does not answer within a second; what was not begun by then is
 * not recorded any more
 */
export function storeClick(database: Database, click: NewClick): Promise<void> {
  const open = openBatches(database);
  if (open.batch === null || open.batch.clicks.length >= CLICKS_MAX) open.batch = beginBatch(database);
  open.batch.clicks.push(click);
  return open.batch.written;
}

function beginBatch(database: Database): Batch {
  const open = openBatches(database);
  const clicks: NewClick[] = [];
  let isGivenUp = false;
  const close = () => {
    if (open.batch === batch) open.batch = null;
  };
  const unit = database.write(async (tx) => {
    close();
    if (!isGivenUp) await insertClicks(tx, clicks);
  });
  const giveUp = (error: unknown) => {
    isGivenUp = true;
    close();
    throw error;
  };
  const batch: Batch = { clicks, written: inTime(unit).catch(giveUp) };
  return batch;
}
