import type { Duplex } from 'node:stream';
import pg from 'pg';
import { WatchingClient } from './watching-client.ts';
import { type Prepared, Wave } from './wave.ts';
import type { Pending, WireQuery, WireResult } from './wire-query.ts';

/**
 * At this age of a connection, the server discards its plans; it does so again each time the connection is a quarter
 * older.
 */
const PLANS_DISCARDED_FIRST_MS = 500;
const PLANS_DISCARDED_AGAIN = 1.25;

/**
 * The kernel asks after 10 s without a packet whether the server is still there, and not after two hours: firewalls, NAT
 * and load balancers forget an idle connection within minutes, and whatever is sent on it then is lost.
 */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** pg supports the timeout of a query, but its types do not declare it. */
export type TimedQuery = pg.QueryConfig & { query_timeout: number };

// named, so that the server parses and describes them once for each connection
const BEGIN: WireQuery = { name: 'refbridge_BEGIN', text: 'BEGIN ISOLATION LEVEL READ COMMITTED' };
export const COMMIT: WireQuery = { name: 'refbridge_COMMIT', text: 'COMMIT' };

export interface PipelinedConfig extends pg.ClientConfig {
  /** True behind a pooler in transaction mode: statements are sent unnamed. */
  isPooled?: boolean;
  /** True where a wave waits for the queries of all requests that have arrived, most of which arrive in bursts. */
  gathers?: boolean;
  /** True where executions of the same statement may be combined, because all units share a transaction. */
  combines?: boolean;
}

/**
 * A connection that sends queries in waves, without waiting for the answers to earlier ones: queries made while one
 * wave is under way form the next. The server runs them in order, so that a query sees what those before it wrote.
 */
export class PipelinedClient extends WatchingClient {
  #held: Pending[] = [];
  #isUnderWay = false;
  #isScheduled = false;
  readonly #createdAt = performance.now();
  #discardPlansAfterMs = PLANS_DISCARDED_FIRST_MS;
  readonly #prepared: Prepared = new Map();

  /** Begins a transaction. A pooler refuses the time limits of a session, so each transaction sets that of its locks. */
  readonly beginning: readonly WireQuery[];
  readonly #isPooled: boolean;
  readonly #combines: boolean;
  readonly #whenReady: (send: () => void) => void;

  constructor(options: PipelinedConfig = {}) {
    const { isPooled = false, gathers = false, combines = false, lock_timeout = 0, ...config } = options;
    super({ ...config, pipeline: true, ...(isPooled ? {} : { lock_timeout }) });
    this.beginning = isPooled ? [BEGIN, { text: `SET LOCAL lock_timeout = ${lock_timeout}` }] : [BEGIN];
    this.#isPooled = isPooled;
    this.#combines = combines;
    this.#whenReady = gathers ? setImmediate : process.nextTick;
    // a connection that breaks while idle is noticed by its next query
    this.on('error', () => {});
  }

  /**
   * @param unit the unit of work that sends it: its queries keep their order
   * @throws DatabaseError, also of an earlier query of the same wave; Error when the connection is lost
   */
  send(named: WireQuery, unit: object = this): Promise<WireResult> {
    const query = this.#isPooled ? unnamed(named) : named;
    return new Promise((resolve, reject) => {
      this.#held.push({ query, unit, resolve, reject });
      this.#schedule();
    });
  }

  /** Ends the connection without waiting for the server. */
  destroy(): void {
    destroyConnection(this);
  }

  /**
   * The server keeps a statement's plan. A plan made while the tables were nearly empty may use an index that reads a
   * whole account, and would be kept until autovacuum has analyzed the tables, which takes at least a minute. Planning
   * all statements again takes a few milliseconds.
   */
  #discardOldPlans(): void {
    const ageMs = performance.now() - this.#createdAt;
    // without names, no plan is kept
    if (this.#isPooled || ageMs < this.#discardPlansAfterMs) return;
    this.#discardPlansAfterMs = ageMs * PLANS_DISCARDED_AGAIN;
    this.#held.unshift({ query: { text: 'DISCARD PLANS' }, unit: this, resolve: () => {}, reject: () => {} });
  }

  /** Waits at least until the continuations of all settled promises have run, so that their queries join the wave. */
  #schedule(): void {
    if (this.#isUnderWay || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#whenReady(() => {
      this.#isScheduled = false;
      this.#isUnderWay = true;
      this.#discardOldPlans();
      const pending = this.#held;
      this.#held = [];
      this.query(
        new Wave(pending, this.#prepared, this.#combines, () => {
          this.#isUnderWay = false;
          if (this.#held.length > 0) this.#schedule();
        }),
      );
    });
  }
}

function unnamed({ text, values = [] }: WireQuery): WireQuery {
  return { text, values };
}

/** Ends a connection without waiting for the server. */
export function destroyConnection(client: pg.ClientBase): void {
  // not declared by pg's types
  (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
}

export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // a connection that breaks while idle is replaced; one that breaks in use fails its query
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
