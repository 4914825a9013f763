import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { unavailable } from '../../errors.ts';
import type { Unit } from '../database.ts';
import { Batch, type BatchResult } from './batch.ts';
import { PipelinedClient, type PipelinedConfig } from './client.ts';
import { isConnectionSound } from './failure.ts';
import type { PostgresStatements } from './statements.ts';

/**
 * Units per batch. There is one connection: two gained nothing on two cores, and units with a popular key would keep
 * each other out of both batches. Each unit waits for all of the others, so a batch should be short.
 */
const BATCH_MAX = 64;
const CHECK_MS = 25;
/** After this time as the first on the connection, units no longer wait for the batch before them. */
const BATCH_MAX_MS = 1_000;
/** After this time behind a slow batch, a unit is refused: those that run alone make no progress either. */
const ALONE_WAIT_MAX_MS = 4_000;
/** Other transactions rarely lock rows for longer; the batch should not wait for one that does. */
const LOCK_TIMEOUT_MS = 300;

interface Member {
  unit: Unit<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  waitingSince: number;
}

export interface GroupCommitOptions {
  config: PipelinedConfig;
  statements: PostgresStatements;
  /** Runs a unit in its own transaction, which may wait for locks. Settles after its commit. */
  runAlone: (unit: Unit<unknown>) => Promise<unknown>;
  /** How many may do so at once before they wait for each other. */
  aloneMax: number;
}

/**
 * Runs the units of work that wait at the same time in one transaction. No unit settles before the commit; those that
 * arrive meanwhile form the next transaction, which begins behind it. A unit runs alone when another transaction holds
 * its keys; all units run alone while there is no connection.
 */
export class PostgresGroupCommit {
  readonly #config: PipelinedConfig;
  readonly #statements: PostgresStatements;
  readonly #runAlone: GroupCommitOptions['runAlone'];
  readonly #aloneMax: number;
  #queue: Member[] = [];
  #isWorking = false;
  /** The last batch that has begun; another may be committing before it. */
  #newest: { batch: Batch; ended: Promise<void> } | null = null;
  /** Batches that have taken too long for other units to wait for them. */
  readonly #overtaken = new Set<Batch>();
  #overtakenSince = 0;
  /** How many units of the queue run alone. */
  #aloneCount = 0;
  #client: PipelinedClient | null = null;
  #connecting: Promise<void> | null = null;
  #isEnded = false;

  constructor({ config, statements, runAlone, aloneMax }: GroupCommitOptions) {
    this.#config = { ...config, query_timeout: 0, lock_timeout: LOCK_TIMEOUT_MS, combines: true };
    this.#statements = statements;
    this.#runAlone = runAlone;
    this.#aloneMax = aloneMax;
  }

  /** @throws ServiceError `UNAVAILABLE`, `OUTCOME_UNKNOWN`; or whatever the unit throws */
  write<T>(unit: Unit<T>): Promise<T> {
    if (this.#client === null) void this.connect();
    if (this.#client === null) return this.#runAlone(unit) as Promise<T>;
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ unit, resolve: (value) => resolve(value as T), reject, waitingSince: performance.now() });
      this.#proceed();
    });
  }

  /** Connects unless it is connected. Never rejects: until it succeeds, units run alone. */
  connect(): Promise<void> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#connecting;
    await this.#client?.end();
  }

  async #open(): Promise<void> {
    if (this.#client !== null || this.#isEnded) return;
    const client = new PipelinedClient(this.#config);
    const forget = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget).on('end', forget);
    try {
      await client.connect();
      this.#client = client;
    } catch {
      // units that run alone report what is wrong
    }
  }

  #proceed(): void {
    if (this.#overtaken.size > 0) this.#runNextAlone();
    else if (!this.#isWorking) void this.#drainQueue();
  }

  async #drainQueue(): Promise<void> {
    this.#isWorking = true;
    while (this.#queue.length > 0) {
      // One turn of the event loop, so that units of the same network packets join this batch.
      await yieldToEventLoop();
      if (this.#overtaken.size > 0) break;
      const client = this.#client;
      if (client === null) this.#runAllAlone(this.#queue.splice(0));
      else await this.#beginBatch(client, this.#queue.splice(0, BATCH_MAX));
    }
    this.#isWorking = false;
  }

  /** Settles when the next batch may begin, which the server runs after this one. */
  #beginBatch(client: PipelinedClient, members: readonly Member[]): Promise<void> {
    const batch = new Batch(client, this.#statements, this.#newest?.ended ?? Promise.resolve());
    const ended = this.#runBatch(batch, client, members);
    this.#newest = { batch, ended };
    return batch.sent;
  }

  async #runBatch(batch: Batch, client: PipelinedClient, members: readonly Member[]): Promise<void> {
    let check: NodeJS.Immediate | undefined;
    const watch = setInterval(() => {
      const now = performance.now();
      // after the answers that had arrived by now: this process may have paused
      check = setImmediate(() => this.#check(batch, client, now));
    }, CHECK_MS);
    try {
      const result = await batch.run(members.map(({ unit }) => unit));
      if (!result.committed) this.#rollBack(batch, client, result.error);
      this.#settle(members, result);
    } catch (error) {
      members.forEach((member, index) => {
        if (batch.hasLeft(index)) this.#runAllAlone([member]);
        else member.reject(error);
      });
      this.#discard(client);
    } finally {
      clearInterval(watch);
      clearImmediate(check);
      this.#overtaken.delete(batch);
      if (this.#newest?.batch === batch) this.#newest = null;
      this.#proceed();
    }
  }

  /** Nothing waits for this batch any longer. */
  #overtake(batch: Batch): void {
    if (this.#overtaken.size === 0) this.#overtakenSince = performance.now();
    this.#overtaken.add(batch);
    if (this.#newest?.batch !== batch) this.#newest?.batch.makeLeave();
    this.#runNextAlone();
  }

  /**
   * Runs as many units alone as there are connections. The others stay in the queue, and share commits again when the slow
   * batch ends: where the machine is busy, all batches are slow, and each unit alone is slower.
   */
  #runNextAlone(): void {
    while (this.#overtaken.size > 0 && this.#aloneCount < this.#aloneMax) {
      const member = this.#queue.shift();
      if (member === undefined) return;
      this.#aloneCount += 1;
      const { unit, resolve, reject } = member;
      const end = () => {
        this.#aloneCount -= 1;
        this.#runNextAlone();
      };
      this.#runAlone(unit).then(resolve, reject).then(end);
    }
  }

  #check(batch: Batch, client: PipelinedClient, now: number): void {
    if (batch.expelStrangers()) warnOfForeignAwait();
    if (batch.firstForMs > BATCH_MAX_MS && !this.#overtaken.has(batch)) this.#overtake(batch);
    if (this.#overtaken.size > 0) this.#rejectWaiting();
    if (batch.wasSilentAt(now)) this.#discard(client);
  }

  #rejectWaiting(): void {
    const latest = performance.now() - ALONE_WAIT_MAX_MS;
    if (this.#overtakenSince > latest) return;
    const hasWaited = ({ waitingSince }: Member) => waitingSince <= latest;
    const rejected = this.#queue.filter(hasWaited);
    if (rejected.length === 0) return;
    this.#queue = this.#queue.filter((member) => !hasWaited(member));
    for (const { reject } of rejected) reject(unavailable('Too many writes are waiting'));
  }

  #settle(members: readonly Member[], result: BatchResult): void {
    if (!result.committed) {
      this.#runAllAlone(members);
      return;
    }
    members.forEach((member, index) => {
      const outcome = result.outcomes[index];
      if (outcome === undefined) this.#runAllAlone([member]);
      else if (outcome.ok) member.resolve(outcome.value);
      else member.reject(outcome.error);
    });
  }

  #runAllAlone(members: readonly Member[]): void {
    for (const { unit, resolve, reject } of members) this.#runAlone(unit).then(resolve, reject);
  }

  /** Sent behind queries that are still under way; the next batch begins after it, unless it has begun already. */
  #rollBack(batch: Batch, client: PipelinedClient, error: unknown): void {
    const hasNext = this.#newest?.batch !== batch;
    if (hasNext || !isConnectionSound(error)) this.#discard(client);
    else client.send({ text: 'ROLLBACK' }).catch(() => this.#discard(client));
  }

  /** Breaks the connection and aborts whatever it was doing. */
  #discard(client: PipelinedClient): void {
    if (this.#client === client) this.#client = null;
    client.destroy();
    void this.connect();
  }
}

let hasWarned = false;

/** Warns once: a unit that awaits anything but its queries keeps its whole batch waiting. */
function warnOfForeignAwait(): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    'A unit of work awaited something other than its own queries, which keeps other writers waiting, and runs again alone. This is a bug in its caller',
    { code: 'REFBRIDGE_FOREIGN_AWAIT' },
  );
}
