import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ServiceError } from '../../errors.ts';
import type { Transaction, Unit } from '../database.ts';
import { countFallback, type ReplicaOptions, ReplicaState } from '../replica.ts';
import { createPool } from './client.ts';
import { PipelinedReads } from './reads.ts';
import { NoneFree, PostgresReports, REPORT_CONNECTIONS_MAX } from './reports.ts';
import { PostgresStatements } from './statements.ts';

/** How long a measurement of the replica is valid. */
const MEASURED_EVERY_MS = 1_000;
/** A replica that answers later is of no use. */
const ANSWER_MAX_MS = 1_000;
/** A healthy replica has the latest commit within a few milliseconds. */
const CATCH_UP_ATTEMPTS = 5;
const CATCH_UP_PAUSE_MS = 10;
/** The least time that the primary gets for a report that the replica could not answer. */
const FALLBACK_MIN_MS = 1_000;

/** The same for servers with the same history. */
const IDENTITY = `(SELECT CAST(system_identifier AS TEXT) FROM pg_control_system()) || ' ' ||
    (SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()) AS identity`;

/** The primary's position in its log. */
const PRIMARY_POSITION = `SELECT CAST(pg_current_wal_lsn() - '0/0' AS BIGINT) AS position,
  CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS "nowMs", ${IDENTITY}`;
/**
 * No standby is ahead of this. It may be ahead of what is written: at a switch of segments, as by `archive_timeout`, it is
 * at the end of the old one while the primary still fills it.
 */
const PRIMARY_END = `SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT) AS position`;
/** How much of the log the replica has replayed; both times are of the primary's clock. */
const REPLICA_POSITION = `SELECT pg_is_in_recovery() AS "isReplica",
  CAST(pg_last_wal_replay_lsn() - '0/0' AS BIGINT) AS position,
  CAST(EXTRACT(EPOCH FROM pg_last_xact_replay_timestamp()) * 1000 AS BIGINT) AS "replayedMs", ${IDENTITY}`;

interface PrimaryPosition {
  position: number;
  nowMs: number;
  identity: string;
}

interface ReplicaPosition {
  isReplica: number;
  position: number | null;
  replayedMs: number | null;
  identity: string;
}

/**
 * Runs reports on a standby of the primary. Its lag is measured only while reports are requested, at most once a
 * second, with one small query to each server. A report that the standby cannot answer is read from the primary.
 */
export class PostgresReplica {
  readonly #state: ReplicaState;
  readonly #primary: Transaction;
  readonly #fallback: PostgresReports;
  readonly #positions: PipelinedReads;
  readonly #reports: PostgresReports;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | null = null;

  /**
   * @param options with the URL of `standbyAddressOf`
   * @param config of connections to the primary
   * @param primary for lookups there
   */
  constructor(
    options: ReplicaOptions,
    config: pg.PoolConfig,
    { primary, fallback }: { primary: Transaction; fallback: PostgresReports },
  ) {
    this.#state = new ReplicaState(options);
    this.#primary = primary;
    this.#fallback = fallback;
    const there = { ...config, connectionString: options.url, connectionTimeoutMillis: ANSWER_MAX_MS };
    const statements = new PostgresStatements({ isPooled: false });
    const quick = { statement_timeout: ANSWER_MAX_MS, query_timeout: ANSWER_MAX_MS };
    this.#positions = new PipelinedReads({ ...there, ...quick }, statements);
    this.#reports = new PostgresReports(createPool({ ...there, max: REPORT_CONNECTIONS_MAX }));
  }

  /** Measures the replica unless its state is known. Never rejects. */
  measure(): Promise<void> {
    if (performance.now() - this.#measuredAt < MEASURED_EVERY_MS) return Promise.resolve();
    this.#measuring ??= this.#measureNow().finally(() => {
      this.#measuredAt = performance.now();
      this.#measuring = null;
    });
    return this.#measuring;
  }

  /**
   * @param since the report must show what was committed before this moment of `performance.now()`
   * @throws as `PostgresReports.run`
   */
  async run<T>(unit: Unit<T>, deadlineMs: number, since: number): Promise<T> {
    const startedAt = performance.now();
    const measured = this.measure();
    // no report waits for an unreachable replica
    if (this.#state.isUsable) await measured;
    if (!this.#state.shows(since)) return this.#fallback.run(unit, deadlineMs);
    try {
      return await this.#reports.runOnce(unit, deadlineMs);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      countFallback();
      // one that is busy is not away; whether it is, the next measurement shows
      if (!(error instanceof NoneFree)) this.#state.failed(error);
      const leftMs = deadlineMs - (performance.now() - startedAt);
      return this.#fallback.run(unit, Math.max(leftMs, FALLBACK_MIN_MS));
    }
  }

  async end(): Promise<void> {
    await this.#measuring;
    await Promise.all([this.#positions.end(), this.#reports.end()]);
  }

  async #measureNow(): Promise<void> {
    const startedAt = performance.now();
    let position: PrimaryPosition | undefined;
    try {
      position = await this.#primary.get<PrimaryPosition>(PRIMARY_POSITION);
    } catch {
      // says nothing about the replica, which keeps answering until it is known to be too far behind
      this.#state.unknown();
    }
    if (position === undefined) return;
    try {
      await this.#compare(position, startedAt);
    } catch (error) {
      this.#state.failed(error);
    }
  }

  async #compare({ position, nowMs, identity }: PrimaryPosition, startedAt: number): Promise<void> {
    this.#state.primaryAt(position, startedAt);
    for (let attempt = 1; ; attempt += 1) {
      const there = await this.#positions.transaction.get<ReplicaPosition>(REPLICA_POSITION);
      if (!there?.isReplica || there.identity !== identity) return this.#state.refused();
      const reached = there.position ?? 0;
      if (reached > position && (await this.#neverWrote(reached))) return this.#state.refused();
      const isComplete = this.#state.replicaAt(reached);
      if (isComplete || attempt === CATCH_UP_ATTEMPTS)
        return this.#state.judge(there.replayedMs === null ? null : nowMs - there.replayedMs);
      await sleep(CATCH_UP_PAUSE_MS);
    }
  }

  /**
   * True when the primary has not come to a position that the standby has replayed. The standby then follows an earlier
   * life of the database, before a restore or with another primary, and shows what never happened.
   */
  async #neverWrote(position: number): Promise<boolean> {
    const primary = await this.#primary.get<Pick<PrimaryPosition, 'position'>>(PRIMARY_END).catch(() => undefined);
    return primary !== undefined && primary.position < position;
  }
}
