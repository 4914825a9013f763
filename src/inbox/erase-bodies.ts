import { setTimeout as sleep } from 'node:timers/promises';
import { forEachAccount } from '../app/each-account.ts';
import { type Mark, markOf, mentionsAny } from '../app/person-marks.ts';
import { createScanMarks, findScan, findScannedAccounts, moveScan, restartScan } from '../app/scans.ts';
import type { Service } from '../app/service.ts';
import { writeEach } from '../app/write-each.ts';
import type { AccountId, DeliveryId } from '../core/ids.ts';
import { idsFrom } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { BEFORE_ALL, firstUnit, PAUSE_MS, SKEW_MS } from './body-units.ts';
import { findNextStretch } from './next-stretch.ts';
import { type DeliveryBody, eraseBody, findAboutErased, findBody, findMarks } from './queries/erasure.ts';
import { ERASURE_JOB, findBodySizes } from './queries/retention.ts';

export { findBody, findDeliveriesOfSales } from './queries/erasure.ts';

const DELIVERIES_PER_UNIT = 100;
const MARKS_PER_READ = 5_000;
/**
 * A delivery may be committed this long after it got its id. On PostgreSQL, the id may be that of a process whose clock
 * differs from this one's: as for signatures, either may be wrong by five minutes.
 */
const LATE_MS = { sqlite: 60_000, postgres: 600_000 };

/** The progress of a sweep after each unit. */
export interface SweepProgress {
  looked: number;
  erased: number;
}

/**
 * Deletes the bodies of these deliveries in the caller's unit of work, and schedules a scan of all bodies of the
 * account for what was erased.
 */
export async function eraseBodiesOf(
  tx: Transaction,
  accountId: AccountId,
  deliveryIds: readonly DeliveryId[],
): Promise<void> {
  // first, because the scan locks its row before the deliveries, too: otherwise each could wait for the other
  await restartScan(tx, ERASURE_JOB, accountId, BEFORE_ALL);
  await writeEach(deliveryIds, (id) => eraseBody(tx, accountId, id));
}

async function bodiesOf(
  tx: Transaction,
  accountId: AccountId,
  deliveryIds: readonly DeliveryId[],
): Promise<DeliveryBody[]> {
  const bodies: DeliveryBody[] = [];
  for (const id of deliveryIds) {
    const found = await findBody(tx, accountId, id);
    if (found) bodies.push(found);
  }
  return bodies;
}

/**
 * Deletes the bodies of processed deliveries that mention an erased person, or are about their sales. Each run continues
 * where the previous one ended, even after a restart, so it also finds deliveries that arrive later. It stops early when
 * the service stops.
 *
 * @param onProgress called after each unit with the counts of this run
 */
export async function eraseMentions(
  service: Service,
  onProgress: (progress: SweepProgress) => void = () => undefined,
): Promise<SweepProgress> {
  const progress = { looked: 0, erased: 0 };
  const onUnit = (unit: SweepProgress) => {
    progress.looked += unit.looked;
    progress.erased += unit.erased;
    onProgress(progress);
  };
  const accountIds = await service.database.read((tx) => findScannedAccounts(tx, ERASURE_JOB));
  await forEachAccount(service, accountIds, (accountId) => sweep(service, accountId, onUnit));
  return progress;
}

async function sweep(service: Service, accountId: AccountId, onUnit: (unit: SweepProgress) => void): Promise<void> {
  const { database, lifecycle } = service;
  const beforeAt = service.clock() - LATE_MS[database.engine];
  const beforeId = idsFrom('dlv', beforeAt);
  await restartIfAhead(service, accountId, idsFrom('dlv', beforeAt + SKEW_MS[database.engine]));
  const marksAt = createScanMarks(() => readMarks(service, accountId));
  let hadBodies = false;
  while (!lifecycle.draining) {
    if (!hadBodies) await skipEmpty(service, { accountId, beforeId, marksAt, onUnit });
    const scan = await database.read((tx) => findScan(tx, ERASURE_JOB, accountId));
    if (scan === undefined) return;
    const range = { accountId, afterId: scan.lastId, beforeId, limit: DELIVERIES_PER_UNIT };
    const part = firstUnit(await database.report((tx) => findBodySizes(tx, range)));
    const last = part.at(-1);
    if (last === undefined) return;
    const mentioning = await findMentioning(service, accountId, part, await marksAt(scan));
    const erased = await database.write(
      async (tx) => {
        if (!(await moveScan(tx, ERASURE_JOB, scan, last.id))) return 0;
        let count = 0;
        for (const id of mentioning) if (await eraseBody(tx, accountId, id)) count += 1;
        return count;
      },
      { alone: true },
    );
    hadBodies = part.some(({ bytes }) => bytes > 0);
    onUnit({ looked: part.length, erased });
    await sleep(PAUSE_MS);
  }
}

/** Restarts a scan that a clock far ahead has let pass the present: it would not find what is stored from now on. */
async function restartIfAhead({ database }: Service, accountId: AccountId, aheadId: string): Promise<void> {
  const scan = await database.read((tx) => findScan(tx, ERASURE_JOB, accountId));
  if (scan === undefined || scan.lastId < aheadId) return;
  await database.write((tx) => moveScan(tx, ERASURE_JOB, scan, BEFORE_ALL));
}

interface Skipped {
  accountId: AccountId;
  beforeId: string;
  /** Sees every position, because it must notice that the scan was restarted. */
  marksAt: ReturnType<typeof createScanMarks>;
  onUnit: (unit: SweepProgress) => void;
}

/** Moves the scan to the next delivery that has a body. */
async function skipEmpty(
  { database, lifecycle }: Service,
  { accountId, beforeId, marksAt, onUnit }: Skipped,
): Promise<void> {
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, ERASURE_JOB, accountId));
    if (scan === undefined) return;
    await marksAt(scan);
    const range = { accountId, afterId: scan.lastId, beforeId, limit: DELIVERIES_PER_UNIT };
    const { lastId, deliveries, mayContinue } = await findNextStretch(database, range);
    if (lastId === null) return;
    await database.write((tx) => moveScan(tx, ERASURE_JOB, scan, lastId));
    onUnit({ looked: deliveries, erased: 0 });
    await sleep(PAUSE_MS);
    if (!mayContinue) return;
  }
}

async function findMentioning(
  service: Service,
  accountId: AccountId,
  part: readonly { id: DeliveryId; bytes: number }[],
  marks: ReadonlySet<Mark>,
): Promise<DeliveryId[]> {
  const stored = part.filter(({ bytes }) => bytes > 0).map(({ id }) => id);
  if (stored.length === 0) return [];
  const { bodies, about } = await service.database.report(async (tx) => {
    const found = await findAboutErased(tx, stored, { accountId });
    return { bodies: await bodiesOf(tx, accountId, stored), about: new Set(found.map(({ id }) => id)) };
  });
  return bodies
    .filter(({ id, endpointId, body }) => {
      // it may name them by a processor's id only, beside an address that is not known
      if (about.has(id) || marks.has(markOf(accountId, 'endpoint', endpointId))) return true;
      return mentionsAny(accountId, body, marks);
    })
    .map(({ id }) => id);
}

/** The marks of everything that the account has erased. */
export async function readMarks({ database }: Service, accountId: AccountId): Promise<Set<Mark>> {
  const marks = new Set<Mark>();
  let after = '';
  for (;;) {
    const next = await database.report((tx) => findMarks(tx, accountId, after, MARKS_PER_READ));
    for (const mark of next) marks.add(mark);
    const last = next.at(-1);
    if (last === undefined || next.length < MARKS_PER_READ) return marks;
    after = last;
  }
}
