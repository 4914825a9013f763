import type { Service } from '../../app/service.ts';
import type { ImportId } from '../../core/ids.ts';
import { messageOf, ServiceError } from '../../errors.ts';
import { noteProgress } from '../queries/imports.ts';
import type { Progress } from './run.ts';

const NEWS_MS = 1_000;
const MINUTE_MS = 60_000;
/** A process that was killed keeps its imports for this long; on SQLite its successor takes them over at once. */
export const LEASE_MS = 15_000;

/** Longer than the longest pause that a service may ask for (`retries.ts`): other imports wait for this run to end. */
export const SILENCE_MS_MAX = 20 * MINUTE_MS;

/** Why a run ends early. */
export class Stopped extends Error {
  /** True when the import was canceled, or belongs to another process. */
  readonly isLost: boolean;

  constructor(isLost: boolean) {
    super(isLost ? 'The import is no longer run here' : 'The process stops');
    this.isLost = isLost;
  }
}

export interface RunNewsOptions {
  /** A run ends after this long without a row and without an answer from its service. */
  silenceMsMax: number;
  /** Ends the run: the import no longer belongs to this process, or nothing arrived for too long. */
  onEnd(reason: Stopped | ServiceError): void;
}

/** Stores the progress of a run once a second, which also renews its lease; ends the run when it must not continue. */
export class RunNews {
  readonly #service: Service;
  readonly #lease: { id: ImportId; leasedBy: string };
  readonly #options: RunNewsOptions;
  readonly #timer: NodeJS.Timeout;
  #read: (() => Progress) | null = null;
  #storing: Promise<void> | null = null;
  #heardAt = performance.now();

  constructor(service: Service, lease: { id: ImportId; leasedBy: string }, options: RunNewsOptions) {
    this.#service = service;
    this.#lease = lease;
    this.#options = options;
    this.#timer = setInterval(() => this.#storeNow(), NEWS_MS);
  }

  take(read: () => Progress): void {
    this.#read = read;
    this.heard();
  }

  /** The service has answered, possibly without a row. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Stores the final progress. @throws Stopped when the import no longer belongs to this process */
  async end(progress: Progress | null): Promise<void> {
    clearInterval(this.#timer);
    await this.#storing;
    if (!(await this.#store(progress ?? this.#read?.() ?? null))) throw new Stopped(true);
  }

  #storeNow(): void {
    const { silenceMsMax, onEnd } = this.#options;
    if (performance.now() - this.#heardAt > silenceMsMax) onEnd(tooSilent(silenceMsMax));
    if (this.#storing !== null) return;
    const { log } = this.#service;
    this.#storing = this.#store(this.#read?.() ?? null)
      .then((isOwn) => {
        if (!isOwn) onEnd(new Stopped(true));
      })
      .catch((error: unknown) => {
        log.warn({ importId: this.#lease.id, reason: messageOf(error) }, 'imports: progress was not stored');
      })
      .finally(() => {
        this.#storing = null;
      });
  }

  /** False when the import has ended, or belongs to another process. */
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

function tooSilent(silenceMsMax: number): ServiceError {
  const minutes = Math.round(silenceMsMax / MINUTE_MS);
  return new ServiceError(
    'UNAVAILABLE',
    `No row and no answer came for ${minutes} minutes. What it stored stays; start the same import again to continue`,
  );
}
