import { randomUUID } from 'node:crypto';
import type { Service } from '../app/service.ts';
import { untilIdle } from '../app/until-idle.ts';
import type { AccountId } from '../core/ids.ts';
import { isTemporary, ServiceError } from '../errors.ts';
import { LEASE_MS, Stopped, whileLeased } from './lease.ts';
import { endPage, failRow, findDue, findDueOfAccount, type Lease, leaseRow, postpone } from './queries/leases.ts';
import { findReconciliation, type ReconciliationRow } from './queries/reconciliations.ts';
import { type ReadPage, readPage } from './read-page.ts';

/** Most of the time they wait for an API. Each may hold an answer of some megabytes in memory. */
const PAGES_AT_ONCE = 6;
/**
 * In all processes, or one more for each that looks at the same moment: three accounts whose APIs are slow leave nothing to
 * others, and one or two do not.
 */
const PAGES_OF_ACCOUNT_MAX = 2;
/** How long a page under way is waited for before looking again for what is due. */
const LOOK_MS = 250;
const DUE_MAX = 10;
/** After this many failures in a row: more than an hour. */
const FAILURES_MAX = 20;
const FIRST_PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 300_000;

interface Work {
  /** Nothing new is begun afterwards, except for the first page. */
  workMsMax?: number;
  /** Null: of every account. */
  accountId?: AccountId | null;
}

/**
 * Reads pages of the reconciliations that are due, several at once, until none is under way or due any more; returns how many.
 * As long as a page takes, others are read beside it, so that a slow API holds up only its own account. Any number of processes
 * may do so: each page is leased to one of them, and one that dies leaves it to another.
 *
 * @throws whatever the database throws first, once no page is under way
 */
export async function continueReconciliations(
  service: Service,
  { workMsMax = Number.POSITIVE_INFINITY, accountId = null }: Work = {},
): Promise<number> {
  const endsAt = performance.now() + workMsMax;
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let pageCount = 0;
  const mayBegin = () => {
    if (service.lifecycle.draining || failures.length > 0 || underWay.size >= PAGES_AT_ONCE) return false;
    return pageCount === 0 || performance.now() < endsAt;
  };
  const fail = (error: unknown, about: object = {}) => {
    failures.push(error);
    service.log.error({ ...about, err: error }, 'reconciliation: the database failed; a page under way is read again');
  };
  const begin = (next: Leased) => {
    pageCount += 1;
    const page: Promise<void> = takePage(service, next)
      .catch((error: unknown) => fail(error, { reconciliationId: next.row.id, accountId: next.row.accountId }))
      .finally(() => underWay.delete(page));
    underWay.add(page);
  };
  const beginNext = async () => {
    const next = await leaseNext(service, accountId).catch((error: unknown) => {
      fail(error);
      return null;
    });
    if (next !== null) begin(next);
    return next !== null;
  };
  const beginDue = async () => {
    const countBefore = pageCount;
    while (mayBegin() && (await beginNext()));
    return pageCount - countBefore;
  };
  await untilIdle({ underWay, beginDue, lookMs: LOOK_MS });
  if (failures.length > 0) throw failures[0];
  return pageCount;
}

/** A time after `far` was set by a clock that was, or is, ahead of this one. */
const dueAt = (now: number) => ({ now, far: now + 2 * PAUSE_MS_MAX });

interface Leased {
  row: ReconciliationRow;
  lease: Lease;
}

async function leaseNext({ database, clock }: Service, accountId: AccountId | null): Promise<Leased | null> {
  const search = { ...dueAt(clock()), pagesMax: PAGES_OF_ACCOUNT_MAX, limit: DUE_MAX };
  const due = await database.read((tx) =>
    accountId === null ? findDue(tx, search) : findDueOfAccount(tx, accountId, search),
  );
  for (const { id } of due) {
    // no other page of this process has it, even if that one kept the process from renewing the lease
    const lease = { id, leasedBy: randomUUID() };
    const row = await database.write(
      async (tx) => {
        const now = clock();
        const leased = await leaseRow(tx, { ...lease, ...dueAt(now), leasedUntil: now + LEASE_MS });
        return leased && findReconciliation(tx, leased.accountId as AccountId, id);
      },
      { alone: true },
    );
    if (row !== undefined) return { row, lease };
  }
  return null;
}

/** Reads a page of a leased reconciliation, and stores how far it is. Rejects only when the database does not answer. */
async function takePage(service: Service, { row, lease }: Leased): Promise<void> {
  const { log } = service;
  try {
    const read = await whileLeased(service, lease, (signal) => readPage(service, row, signal));
    await storePage(service, lease, read);
    if (read.cursor === null)
      log.info({ reconciliationId: row.id, accountId: row.accountId }, 'reconciliation completed');
  } catch (error) {
    await settle(service, row, lease, error);
  }
}

/** @throws Stopped when the reconciliation was canceled, or belongs to another process */
async function storePage({ database, clock }: Service, lease: Lease, read: ReadPage): Promise<void> {
  await database.write(
    async (tx) => {
      if ((await endPage(tx, { ...lease, ...read, now: clock() })) === 0) throw new Stopped(true);
    },
    { alone: true },
  );
}

/** After a page that ended early: releases the reconciliation if another attempt may succeed, otherwise ends it. */
async function settle(service: Service, row: ReconciliationRow, lease: Lease, error: unknown): Promise<void> {
  const { database, clock, log } = service;
  const { id: reconciliationId, accountId } = row;
  if (error instanceof Stopped && error.isLost) {
    log.info({ reconciliationId, accountId }, 'reconciliation canceled, or taken over by another process');
    return;
  }
  const now = clock();
  const isStopped = error instanceof Stopped;
  const failures = isStopped ? row.failures : row.failures + 1;
  const reason = error instanceof ServiceError ? error.message : null;
  if (isStopped || (isTemporary(error) && failures < FAILURES_MAX)) {
    const again = isStopped ? now : now + pauseMs(error, failures);
    await database.write((tx) => postpone(tx, { ...lease, dueAt: again, error: reason, failures }), { alone: true });
    if (!isStopped) log.warn({ reconciliationId, accountId, reason }, 'reconciliation: a page is read again later');
    return;
  }
  const message =
    reason ?? `A bug stopped it: look for ${reconciliationId} in the log of the server. What it stored stays`;
  await database.write((tx) => failRow(tx, { ...lease, error: message, now }), { alone: true });
  if (reason === null) log.error({ reconciliationId, accountId, err: error }, 'reconciliation failed: a bug');
  else log.warn({ reconciliationId, accountId, reason }, 'reconciliation failed');
}

/** Twice as long after each failure, or longer if the API asks for it: many ask for a second for as long as they are down. */
function pauseMs(error: unknown, failures: number): number {
  const asked = error instanceof ServiceError ? error.retryAfterSeconds : undefined;
  return Math.min(PAUSE_MS_MAX, Math.max(FIRST_PAUSE_MS * 2 ** (failures - 1), (asked ?? 0) * 1_000));
}
