export interface ReplicaOptions {
  /** `postgres://user:password@host:port/name` of a standby. */
  url: string;
  /** A replica that is further behind is not read. */
  lagMaxMs: number;
  /**
   * Called when reports are read from another server than before, and once at the start: null when the replica answers them,
   * otherwise why it does not.
   */
  onChange(reason: string | null): void;
}

const AWAY = 'the replica does not answer';
const NO_REPLICA = 'DATABASE_READ_URL is not a standby of DATABASE_URL';
/** At one a second, more than the largest lag that may be set. */
const SAMPLES_MAX = 100;

let fallbackCount = 0;
let lagMs: number | null = null;

/** Reports that this process has read from the primary, although a replica may answer such reports. */
export function replicaFallbacks(): number {
  return fallbackCount;
}

export function countFallback(): void {
  fallbackCount += 1;
}

/** How far the replica was behind when it was last measured; null when that is unknown, or there is none. */
export function replicaLagMs(): number | null {
  return lagMs;
}

/** Where the primary was in its log, in bytes, at a moment of `performance.now()`. */
interface Sample {
  position: number;
  at: number;
}

/** What is known of a replica, and whether it may answer. */
export class ReplicaState {
  readonly #options: ReplicaOptions;
  /** Where the primary was, the oldest first; what the replica has passed is forgotten. */
  #samples: Sample[] = [];
  /** The replica has everything that was committed before this moment. */
  #completeUntil = Number.NEGATIVE_INFINITY;
  #reason: string | null | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** True when the replica answers and is near enough, by what was measured last. */
  get isUsable(): boolean {
    return this.#reason === null;
  }

  /** Whether the replica may answer a report that must show what was committed before `since`; counts those it may not. */
  shows(since: number): boolean {
    const shows = this.isUsable && this.#completeUntil >= since;
    if (!shows) countFallback();
    return shows;
  }

  primaryAt(position: number, at: number): void {
    this.#samples = [...this.#samples, { position, at }].slice(-SAMPLES_MAX);
  }

  /** Returns whether the replica has passed every position that the primary was seen at. */
  replicaAt(position: number): boolean {
    const passed = this.#samples.filter((sample) => sample.position <= position);
    this.#samples = this.#samples.filter((sample) => sample.position > position);
    for (const { at } of passed) this.#completeUntil = Math.max(this.#completeUntil, at);
    return this.#samples.length === 0;
  }

  /**
   * Decides whether it is near enough. Before it has passed any position it never is: it may lack tables.
   *
   * @param replayedMs how long ago the last transaction that it has was committed; null when it has none
   */
  judge(replayedMs: number | null): void {
    const sinceComplete = performance.now() - this.#completeUntil;
    lagMs = this.#samples.length === 0 ? 0 : Math.min(sinceComplete, replayedMs ?? sinceComplete);
    const { lagMaxMs } = this.#options;
    const isKnown = this.#completeUntil > Number.NEGATIVE_INFINITY;
    if (isKnown && lagMs <= lagMaxMs) this.#become(null);
    else this.#become(`the replica is more than ${lagMaxMs / 1000} s behind, or has not caught up since the start`);
    if (!Number.isFinite(lagMs)) lagMs = null;
  }

  refused(): void {
    lagMs = null;
    this.#become(NO_REPLICA);
  }

  failed(error: unknown): void {
    lagMs = null;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    this.#become(cause instanceof Error && cause.message !== '' ? `${AWAY}: ${cause.message}` : AWAY);
  }

  /** Nothing could be measured, because the primary does not answer. */
  unknown(): void {
    lagMs = null;
  }

  #become(reason: string | null): void {
    const before = this.#reason;
    this.#reason = reason;
    if (before === undefined || (before === null) !== (reason === null)) this.#options.onChange(reason);
  }
}
