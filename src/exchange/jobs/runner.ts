import { randomUUID } from 'node:crypto';
import { AbandonedLeases } from '../../app/abandoned-leases.ts';
import type { Service } from '../../app/service.ts';
import type { ImportId } from '../../core/ids.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { withoutAddresses } from '../../core/without-addresses.ts';
import { isTemporary, messageOf, ServiceError } from '../../errors.ts';
import { findLeftoverParts } from '../queries/import-parts.ts';
import {
  type DueImport,
  deleteOldProblems,
  endImport,
  endOwnImport,
  findAbandonedUploads,
  findDueImports,
  type ImportRow,
  type LeaseNow,
  leaseImport,
  releaseImport,
} from '../queries/imports.ts';
import { loadRun } from './load-run.ts';
import { settingsOfEnded } from './resources.ts';
import { LEASE_MS, RunNews, SILENCE_MS_MAX, Stopped } from './run-news.ts';
import { PROBLEMS_KEPT_DAYS } from './schemas.ts';
import { deleteFile } from './upload.ts';

const POLL_MS = 500;
/** Imports that one process runs at once, each of another account. */
const RUNNING_MAX = 2;
/** After this many attempts without a result, the import itself is probably what ends processes. */
const ATTEMPTS_MAX = 5;
const RETRY_MS = 30_000;
/** A time farther ahead was set by a clock that was, or is, ahead of this one. */
const FAR_MS = 2 * RETRY_MS;
/** More than a process runs, because some may be held. */
const DUE_MAX = 50;
const UPLOAD_SILENCE_MS_MAX = HOUR_MS;
const SWEEP_MS = 60_000;
const PER_SWEEP = 20;

export interface ImportRunner {
  /** Stops between two rows; another process, or this one after its restart, begins those imports again. */
  stop(): Promise<void>;
}

/**
 * Runs the imports of every account until it is stopped. Any number of processes may do so: an import is leased to one
 * of them. When that process dies, another one begins the import again, which changes nothing that was already stored.
 */
export function startImportRunner(
  service: Service,
  { pollMs = POLL_MS, silenceMsMax = SILENCE_MS_MAX, stopwatch = () => performance.now() } = {},
): ImportRunner {
  return new Runner(service, { pollMs, silenceMsMax, stopwatch });
}

class Runner implements ImportRunner {
  readonly #service: Service;
  readonly #leasedBy = randomUUID();
  readonly #running = new Map<ImportId, { stopping: AbortController; done: Promise<void> }>();
  readonly #silenceMsMax: number;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> = Promise.resolve();
  #isInRound = false;
  #isStopping = false;
  #isFailing = false;
  readonly #abandoned: AbandonedLeases<ImportId>;
  #sweptAt = 0;

  constructor(
    service: Service,
    { pollMs, silenceMsMax, stopwatch }: { pollMs: number; silenceMsMax: number; stopwatch: () => number },
  ) {
    this.#service = service;
    this.#abandoned = new AbandonedLeases(LEASE_MS, stopwatch);
    this.#silenceMsMax = silenceMsMax;
    this.#timer = setInterval(() => {
      if (!this.#isInRound) this.#round = this.#startDue();
    }, pollMs).unref();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#round;
    for (const { stopping } of this.#running.values()) stopping.abort(new Stopped(false));
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #startDue(): Promise<void> {
    this.#isInRound = true;
    const { database, clock, log } = this.#service;
    try {
      const now = clock();
      const isOnlyProcess = database.engine === 'sqlite' ? 1 : 0;
      const lease = { now, leasedBy: this.#leasedBy, isOnlyProcess };
      const room = RUNNING_MAX - this.#running.size;
      const due = room === 0 ? [] : await this.#findDue(lease);
      for (const one of due.filter(({ id }) => !this.#running.has(id)).slice(0, room)) {
        if (this.#isStopping) break;
        const unit = { ...lease, ...one, leasedUntil: now + LEASE_MS };
        const row = await database.write((tx) => leaseImport(tx, unit), { alone: true });
        if (row !== undefined) this.#start(row);
      }
      // the clock may have been set back
      if (Math.abs(now - this.#sweptAt) >= SWEEP_MS) await this.#sweep(now);
      if (this.#isFailing) log.info('imports: can start again');
      this.#isFailing = false;
    } catch (error) {
      // once, and not at every poll during an outage
      if (!this.#isFailing) log.warn({ reason: messageOf(error) }, 'imports: none can start now');
      this.#isFailing = true;
    } finally {
      this.#isInRound = false;
    }
  }

  /** Those that may begin, and those that nobody has run or released since a clock was ahead. */
  async #findDue(lease: LeaseNow): Promise<DueImport[]> {
    const range = { ...lease, far: lease.now + FAR_MS };
    const found = await this.#service.database.read((tx) => findDueImports(tx, range, DUE_MAX));
    const held = found.flatMap(({ id, heldUntil }) => (heldUntil === null ? [] : [{ id, heldUntil }]));
    const abandoned = this.#abandoned.find(held);
    return found.filter(({ id, heldUntil }) => heldUntil === null || abandoned.has(id));
  }

  #start(row: ImportRow): void {
    const stopping = new AbortController();
    const done = this.#run(row, stopping).finally(() => this.#running.delete(row.id));
    this.#running.set(row.id, { stopping, done });
  }

  /** Never rejects. */
  async #run(row: ImportRow, stopping: AbortController): Promise<void> {
    const { id, accountId, source, attempts } = row;
    const { log } = this.#service;
    const lease = { id, leasedBy: this.#leasedBy };
    const onEnd = (reason: Error) => stopping.abort(reason);
    const news = new RunNews(this.#service, lease, { silenceMsMax: this.#silenceMsMax, onEnd });
    try {
      if (attempts > ATTEMPTS_MAX) {
        throw new ServiceError(
          'INVALID_STATE',
          `It was interrupted ${ATTEMPTS_MAX} times, so it is not started again. What it stored stays: see the log of ` +
            'the server for the reason, then import again',
        );
      }
      // loaded only now, because it needs memory that a server without imports can save
      const { runImport } = await loadRun();
      const progress = await runImport(this.#service, row, {
        signal: stopping.signal,
        onProgress: (read) => news.take(read),
        onAnswer: () => news.heard(),
      });
      await news.end(progress);
      if (!(await this.#endOwn(row, 'completed', null))) throw new Stopped(true);
      log.info({ importId: id, accountId, source, ...progress.counts.counts }, 'import completed');
    } catch (error) {
      const own = stopping.signal.aborted ? stopping.signal.reason : error;
      const why = await news.end(null).then(
        () => own,
        (lost: unknown) => (lost instanceof Stopped ? lost : own),
      );
      await this.#settle(row, why).catch((reason: unknown) => {
        // the lease ends by itself, and then it is begun again
        log.warn({ importId: id, accountId, reason: String(reason) }, 'imports: could not store the end of one');
      });
    }
  }

  /** After a run that ended early: releases the import if another attempt may succeed, otherwise ends it. */
  async #settle(row: ImportRow, error: unknown): Promise<void> {
    const { id, accountId, attempts } = row;
    const { database, clock, log } = this.#service;
    if (error instanceof Stopped && error.isLost) {
      // keeps its file: another process may be running the import now
      log.info({ importId: id, accountId }, 'import canceled, or taken over by another process');
      return;
    }
    const isStopped = error instanceof Stopped;
    // a file without headings is refused with its first row, and a service may quote what it was asked
    const reason = error instanceof ServiceError ? withoutAddresses(error.message) : null;
    if (isStopped || (isTemporary(error) && attempts < ATTEMPTS_MAX)) {
      const dueAt = clock() + (isStopped ? 0 : RETRY_MS);
      const release = { id, leasedBy: this.#leasedBy, dueAt, error: reason, uncounted: isStopped ? 1 : 0 };
      await database.write((tx) => releaseImport(tx, release), { alone: true });
      if (!isStopped) log.warn({ importId: id, accountId, reason }, 'import interrupted: it is started again');
      return;
    }
    const message = reason ?? `A bug stopped it: look for ${id} in the log of the server. What it stored stays`;
    await this.#endOwn(row, 'failed', message);
    if (reason === null) log.error({ importId: id, accountId, err: error }, 'import failed: a bug');
    else log.warn({ importId: id, accountId, reason }, 'import failed');
  }

  /** Ends an import that this process runs, and deletes its file; false when it now belongs to another process. */
  async #endOwn(row: ImportRow, status: 'completed' | 'failed', error: string | null): Promise<boolean> {
    const { database, clock } = this.#service;
    const end = { id: row.id, leasedBy: this.#leasedBy, status, error, settings: settingsOfEnded(row.settings) };
    const isEnded = await database.write((tx) => endOwnImport(tx, { ...end, now: clock() }), { alone: true });
    if (isEnded > 0) await deleteFile(database, row.id);
    return isEnded > 0;
  }

  /** Ends uploads that nobody continues, and deletes what ended imports have left behind. */
  async #sweep(now: number): Promise<void> {
    const { database } = this.#service;
    this.#sweptAt = now;
    const silentSince = now - UPLOAD_SILENCE_MS_MAX;
    const abandoned = await database.read((tx) => findAbandonedUploads(tx, silentSince, PER_SWEEP));
    const error = 'Its file did not arrive within an hour: import it again';
    for (const { id, settings } of abandoned) {
      const end = { id, status: 'failed', error, settings: settingsOfEnded(settings), now } as const;
      await database.write((tx) => endImport(tx, end), { alone: true });
      await deleteFile(database, id);
    }
    for (const id of await database.read((tx) => findLeftoverParts(tx, PER_SWEEP))) await deleteFile(database, id);
    await database.write((tx) => deleteOldProblems(tx, now - PROBLEMS_KEPT_DAYS * DAY_MS), { alone: true });
  }
}
