export interface ReplicaOptions {
  /** `postgres://user:password@host:port/name` of a standby. */
  url: string;
  /** A replica that lags more than this is not read. */
  lagMaxMs: number;
  /**
   * Called at the start, and whenever reports are read from another server than before: null when the replica answers
   * them, otherwise the reason why it does not.
   */
  onChange(reason: string | null): void;
}

const AWAY = 'the replica does not answer';
const NO_REPLICA = 'DATABASE_READ_URL is not a standby of DATABASE_URL';
/** At one sample a second, more than the largest lag that may be set. */
const SAMPLES_MAX = 100;

let fallbackCount = 0;
let lagMs: number | null = null;

/** The number of reports that this process has read from the primary although a replica may answer such reports. */
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

/** The primary's position in its log, in bytes, at a moment of `performance.now()`. */
interface Sample {
  position: number;
  at: number;
}

/** What is known of a replica, and whether it may answer. */
export class ReplicaState {
  readonly #options: ReplicaOptions;
  /** The primary's positions, oldest first; those that the replica has passed are dropped. */
  #samples: Sample[] = [];
  /** The replica has everything that was committed before this moment. */
  #completeUntil = Number.NEGATIVE_INFINITY;
  #reason: string | null | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** True when, at the last measurement, the replica answered and was near enough. */
  get isUsable(): boolean {
    return this.#reason === null;
  }

  /** Whether the replica may answer a report that must show what was committed before `since`; counts refusals. */
  shows(since: number): boolean {
    const shows = this.isUsable && this.#completeUntil >= since;
    if (!shows) countFallback();
    return shows;
  }

  primaryAt(position: number, at: number): void {
    this.#samples = [...this.#samples, { position, at }].slice(-SAMPLES_MAX);
  }

  /** Returns whether the replica has passed every recorded position of the primary. */
  replicaAt(position: number): boolean {
    const passed = this.#samples.filter((sample) => sample.position <= position);
    this.#samples = this.#samples.filter((sample) => sample.position > position);
    for (const { at } of passed) this.#completeUntil = Math.max(this.#completeUntil, at);
    return this.#samples.length === 0;
  }

  /**
   * Decides whether the replica is near enough. It never is before it has passed a position, because it may lack
   * tables.
   *
   * @param replayedMs the age of the last transaction that the replica has; null when it has none
   */
  judge(replayedMs: number | null): void {
    const sinceComplete = performance.now() - this.#completeUntil;
    // negative when the primary's clock has been set back since, so it says nothing about the replica
    const replayed = replayedMs === null || replayedMs < 0 ? sinceComplete : replayedMs;
    lagMs = this.#samples.length === 0 ? 0 : Math.min(sinceComplete, replayed);
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

  /** Call it when nothing could be measured because the primary does not answer. */
  unknown(): void {
    lagMs = null;
  }

  #become(reason: string | null): void {
    const before = this.#reason;
    this.#reason = reason;
    if (before === undefined || (before === null) !== (reason === null)) this.#options.onChange(reason);
  }
}
