import { randomUUID } from 'node:crypto';
import type { Service } from '../../app/service.ts';
import type { ImportId } from '../../core/ids.ts';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { ServiceError } from '../../errors.ts';
import { findLeftoverParts } from '../queries/import-parts.ts';
import {
  deleteOldProblems,
  endImport,
  findAbandonedUploads,
  findDueImports,
  type ImportEnd,
  type ImportRow,
  leaseImport,
  noteProgress,
  releaseImport,
} from '../queries/imports.ts';
import { type Progress, runImport } from './run.ts';
import { PROBLEMS_KEPT_DAYS } from './schemas.ts';
import { deleteFile } from './upload.ts';

const POLL_MS = 500;
const NEWS_MS = 1_000;
/** A process that was killed keeps its imports for so long; on SQLite its successor takes them at once. */
const LEASE_MS = 15_000;
/** Of different accounts, at once in one process. */
const RUNNING_MAX = 2;
/** After so many attempts that ended without an answer, something about the import ends processes. */
const ATTEMPTS_MAX = 5;
const RETRY_MS = 30_000;
const UPLOAD_SILENCE_MS_MAX = HOUR_MS;
const SWEEP_MS = 60_000;
const PER_SWEEP = 20;

export interface ImportRunner {
  /** Stops between two rows; another process, or this one after its restart, begins those imports again. */
  stop(): Promise<void>;
}

/**
 * Runs the imports of every account until it is stopped. Any number of processes may do so: an import is leased to one of
 * them, and begun again by another when that dies, which changes nothing of what was stored.
 */
export function startImportRunner(service: Service, { pollMs = POLL_MS } = {}): ImportRunner {
  return new Runner(service, pollMs);
}

/** Why a run ends early. */
class Stopped extends Error {
  /** True when the import was canceled, or is another process's. */
  readonly isLost: boolean;

  constructor(isLost: boolean) {
    super(isLost ? 'The import is no longer run here' : 'The process stops');
    this.isLost = isLost;
  }
}

class Runner implements ImportRunner {
  readonly #service: Service;
  readonly #leasedBy = randomUUID();
  readonly #running = new Map<ImportId, { stopping: AbortController; done: Promise<void> }>();
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> = Promise.resolve();
  #isInRound = false;
  #isStopping = false;
  #sweptAt = 0;

  constructor(service: Service, pollMs: number) {
    this.#service = service;
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
      const due = room === 0 ? [] : await database.read((tx) => findDueImports(tx, lease, room));
      for (const id of due.filter((one) => !this.#isStopping && !this.#running.has(one))) {
        const unit = { ...lease, leasedUntil: now + LEASE_MS };
        const row = await database.write((tx) => leaseImport(tx, id, unit), { alone: true });
        if (row !== undefined) this.#start(row);
      }
      if (now - this.#sweptAt >= SWEEP_MS) await this.#sweep(now);
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : error }, 'imports: nothing can be begun now');
    } finally {
      this.#isInRound = false;
    }
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
    const news = new News(this.#service, { id, leasedBy: this.#leasedBy }, () => stopping.abort(new Stopped(true)));
    try {
      if (attempts > ATTEMPTS_MAX) {
        throw new ServiceError(
          'INVALID_STATE',
          `It was interrupted ${ATTEMPTS_MAX} times, so that it is not begun again. What it stored stays: see the log of ` +
            'the server for the reason, then import again',
        );
      }
      const progress = await runImport(this.#service, row, {
        signal: stopping.signal,
        onProgress: (read) => news.take(read),
      });
      await news.end(progress);
      await this.#end({ id, status: 'completed', error: null });
      log.info({ importId: id, accountId, source, ...progress.counts.counts }, 'import completed');
    } catch (error) {
      await news.end(null).catch(() => {});
      await this.#settle(row, stopping.signal.aborted ? stopping.signal.reason : error).catch((reason: unknown) => {
        // the lease ends by itself, and then it is begun again
        log.warn({ importId: id, accountId, reason: String(reason) }, 'imports: the end of one was not stored');
      });
    }
  }

  /** After a run that ended early: gives the import back where another attempt may succeed, otherwise ends it. */
  async #settle({ id, accountId, attempts }: ImportRow, error: unknown): Promise<void> {
    const { database, clock, log } = this.#service;
    if (error instanceof Stopped && error.isLost) {
      // its file stays: another process may run it now
      log.info({ importId: id, accountId }, 'import canceled, or taken over by another process');
      return;
    }
    const isStopped = error instanceof Stopped;
    const reason = error instanceof ServiceError ? error.message : null;
    if (isStopped || (error instanceof ServiceError && error.code === 'UNAVAILABLE' && attempts < ATTEMPTS_MAX)) {
      const dueAt = clock() + (isStopped ? 0 : RETRY_MS);
      const release = { id, leasedBy: this.#leasedBy, dueAt, error: reason, uncounted: isStopped ? 1 : 0 };
      await database.write((tx) => releaseImport(tx, release), { alone: true });
      if (!isStopped) log.warn({ importId: id, accountId, reason }, 'import interrupted: it is begun again');
      return;
    }
    const message = reason ?? `A bug stopped it: look for ${id} in the log of the server. What it stored stays`;
    await this.#end({ id, status: 'failed', error: message });
    if (reason === null) log.error({ importId: id, accountId, err: error }, 'import failed: a bug');
    else log.warn({ importId: id, accountId, reason }, 'import failed');
  }

  async #end(end: Omit<ImportEnd, 'now'>): Promise<void> {
    const { database, clock } = this.#service;
    await database.write((tx) => endImport(tx, { ...end, now: clock() }), { alone: true });
    await deleteFile(database, end.id);
  }

  /** Ends uploads that nobody goes on with, and deletes what ended imports have left. */
  async #sweep(now: number): Promise<void> {
    const { database } = this.#service;
    const silentSince = now - UPLOAD_SILENCE_MS_MAX;
    const abandoned = await database.read((tx) => findAbandonedUploads(tx, silentSince, PER_SWEEP));
    const error = 'Its file did not arrive within an hour: import it again';
    for (const id of abandoned) await this.#end({ id, status: 'failed', error });
    for (const id of await database.read((tx) => findLeftoverParts(tx, PER_SWEEP))) await deleteFile(database, id);
    await database.write((tx) => deleteOldProblems(tx, now - PROBLEMS_KEPT_DAYS * DAY_MS), { alone: true });
    this.#sweptAt = now;
  }
}

/** Stores how far a run is, once a second, and so keeps its lease. Tells when the import is not this process's any more. */
class News {
  readonly #service: Service;
  readonly #lease: { id: ImportId; leasedBy: string };
  readonly #onLost: () => void;
  readonly #timer: NodeJS.Timeout;
  #read: (() => Progress) | null = null;
  #storing: Promise<void> | null = null;

  constructor(service: Service, lease: { id: ImportId; leasedBy: string }, onLost: () => void) {
    this.#service = service;
    this.#lease = lease;
    this.#onLost = onLost;
    this.#timer = setInterval(() => this.#storeNow(), NEWS_MS);
  }

  take(read: () => Progress): void {
    this.#read = read;
  }

  /** Stores the last of it; throws when the import was canceled meanwhile. */
  async end(progress: Progress | null): Promise<void> {
    clearInterval(this.#timer);
    await this.#storing;
    const last = progress ?? this.#read?.() ?? null;
    if (last !== null && !(await this.#store(last)) && progress !== null) throw new Stopped(true);
  }

  #storeNow(): void {
    if (this.#storing !== null) return;
    const { log } = this.#service;
    this.#storing = this.#store(this.#read?.() ?? null)
      .then((isOwn) => {
        if (!isOwn) this.#onLost();
      })
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : error;
        log.warn({ importId: this.#lease.id, reason }, 'imports: progress was not stored');
      })
      .finally(() => {
        this.#storing = null;
      });
  }

  /** False when the import has ended, or is another process's. */
  async #store(progress: Progress | null): Promise<boolean> {
    const { database, clock } = this.#service;
    const now = clock();
    const news = {
      ...this.#lease,
      counts: progress === null ? null : JSON.stringify(progress.counts),
      problems: progress === null ? null : JSON.stringify(progress.problems),
      now,
      leasedUntil: now + LEASE_MS,
    };
    return (await database.write((tx) => noteProgress(tx, news), { alone: true })) > 0;
  }
}
