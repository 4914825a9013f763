import type { Service } from '../app/service.ts';
import { withTimeout } from '../app/timeout.ts';
import type { AccountId } from '../core/ids.ts';
import { recordEvents } from '../events/record.ts';
import { isWanted, lookAheadToSubscribers } from '../events/subscriptions.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { asClick } from './click-resource.ts';
import { type CountedClick, countByHour, insertClicks } from './queries/clicks.ts';
import { DATABASE_TIMEOUT_MS } from './timeout.ts';

export type { CountedClick } from './queries/clicks.ts';

/** The maximum number of clicks per unit of work. */
const CLICKS_MAX = 512;

interface Batch {
  clicks: CountedClick[];
  written: Promise<void>;
}

/** The batch that a click can still join; null when none is waiting. */
const createOpenBatch = () => ({ batch: null as Batch | null });

/**
 * Stores a click. Clicks that arrive while a unit of work is queued join that unit, and therefore its commit.
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

/**
 * Adds clicks with new ids. Counts those that the statistics include: by hour for links, by day for partners and
 * programs.
 */
export async function addClicks(tx: Transaction, clicks: readonly CountedClick[]): Promise<void> {
  const byAccount = [...Map.groupBy(clicks, ({ accountId }) => accountId)];
  // must precede the first write, which then shares its round trip with the rest
  await Promise.all(byAccount.map(([accountId]) => lookAheadToSubscribers(tx, accountId)));
  tx.unawaited(insertClicks(tx, clicks));
  // one id for the whole batch, so that the batch changes a single row of each program
  const id = clicks[0]?.id ?? '';
  const counted = clicks.filter(({ isRepeat }) => isRepeat !== true);
  if (counted.length > 0) tx.last('clicks', countAll, counted);
  countResults(
    tx,
    counted.map(({ programId, partnerId, linkId, createdAt }) => {
      return { programId, partnerId, linkId, id, createdAt, currency: null, clicks: 1 };
    }),
  );
  await Promise.all(byAccount.map(([accountId, ofAccount]) => recordClickEvents(tx, accountId, ofAccount)));
}

async function recordClickEvents(
  tx: Transaction,
  accountId: AccountId,
  clicks: readonly CountedClick[],
): Promise<void> {
  if (!(await isWanted(tx, accountId, 'click.created'))) return;
  const events = clicks.map((click) => ({ occurredAt: click.createdAt, data: asClick(click) }));
  await recordEvents(tx, { accountId, type: 'click.created' }, events);
}

async function countAll(tx: Transaction, added: readonly (readonly CountedClick[])[]): Promise<void> {
  tx.unawaited(countByHour(tx, added.flat()));
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
