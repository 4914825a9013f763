import { hash } from 'node:crypto';
import { type ClaimKey, FIRST, type SqlParameters } from '../database.ts';
import type { Session } from '../write-transaction.ts';
import type { PostgresStatements } from './statements.ts';
import type { WireQuery, WireResult } from './wire-query.ts';

const LEAST = -(2n ** 63n);
/** One key in 65,536 sorts before one of these, which only lets others wait longer. */
const FIRST_BYTES = 6;

/** A lookup that was started ahead. */
interface Ahead {
  method: 'get' | 'all';
  sql: string;
  /** As JSON. */
  parameters: string;
  result: Promise<unknown>;
}

/**
 * The queries of one unit of work on a pipelined connection, in the order in which the unit starts them.
 *
 * Reads are sent at once, behind a BEGIN or a claim that is still unanswered: the server runs them in order, and when
 * the BEGIN or the claim fails, the unit fails too, whatever the reads returned. A write waits for those answers,
 * because outside a transaction it would be committed on its own.
 */
export abstract class UnitSession implements Session {
  readonly #statements: PostgresStatements;
  readonly #held = new Set<bigint>();
  /** The names of keys that are held, so that a key which several steps of a unit claim is hashed once. */
  readonly #claimed = new Set<ClaimKey>();
  /** Settles with the last answer that writes wait for; null when there is none to wait for. */
  #confirmation: Promise<unknown> | null = null;
  /** Queries that wait for the confirmation. */
  #delayed = 0;
  #hasWritten = false;
  /** Lookups that were started ahead, in order. Emptied when something may have changed. */
  #ahead: Ahead[] = [];

  constructor(statements: PostgresStatements) {
    this.#statements = statements;
  }

  /** True once anything was sent that may change rows. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  get(sql: string, parameters: SqlParameters): Promise<unknown> {
    return this.#remembered('get', sql, parameters) ?? this.#get(sql, parameters);
  }

  all(sql: string, parameters: SqlParameters): Promise<unknown> {
    return this.#remembered('all', sql, parameters) ?? this.#all(sql, parameters);
  }

  remember(method: 'get' | 'all', sql: string, parameters: SqlParameters): Promise<unknown> {
    const result = method === 'get' ? this.#get(sql, parameters) : this.#all(sql, parameters);
    result.catch(() => {});
    this.#ahead.push({ method, sql, parameters: JSON.stringify(parameters), result });
    return result;
  }

  async run(sql: string, parameters: SqlParameters): Promise<number> {
    return (await this.#query(sql, parameters)).rowCount;
  }

  /** Every key that was requested so far. */
  get keys(): readonly bigint[] {
    return [...this.#held];
  }

  /** Settles when the locks have been requested. Repeating a key costs nothing. */
  async claim(keys: () => readonly ClaimKey[]): Promise<void> {
    const unclaimed = keys().filter((key) => !this.#claimed.has(key));
    await this.claimHashes(unclaimed.map(hashOf));
    for (const key of unclaimed) this.#claimed.add(key);
  }

  async claimHashes(keys: readonly bigint[]): Promise<void> {
    const hashes = [...new Set(keys)].filter((key) => !this.#held.has(key));
    if (hashes.length === 0) return;
    this.#ahead = [];
    if (this.#delayed > 0) await this.#confirmation;
    // sorted, so that two units cannot deadlock
    hashes.sort((a, b) => (a < b ? -1 : 1));
    const isFirst = this.#held.size === 0;
    for (const key of hashes) this.#held.add(key);
    await this.lock(hashes, isFirst);
  }

  /** Settles when BEGIN and every claim have succeeded, and every query that waited for them has been sent. */
  async confirmed(): Promise<void> {
    while (this.#confirmation || this.#delayed > 0) await this.#confirmation;
  }

  protected abstract send(query: WireQuery): Promise<WireResult>;

  /**
   * Requests these locks, and passes the answer to `confirm`.
   *
   * @param isFirst true when the unit has none yet
   */
  protected abstract lock(keys: readonly bigint[], isFirst: boolean): Promise<void>;

  /** Makes writes wait for `answer`; when it rejects, they reject too. */
  protected confirm(answer: Promise<unknown>): void {
    const confirmation = this.#confirmation === null ? answer : Promise.all([this.#confirmation, answer]);
    this.#confirmation = confirmation;
    confirmation.then(
      () => {
        if (this.#confirmation === confirmation) this.#confirmation = null;
      },
      // kept, so that everything after it fails as well
      () => {},
    );
  }

  async #get(sql: string, parameters: SqlParameters): Promise<unknown> {
    return (await this.#query(sql, parameters)).rows[0];
  }

  async #all(sql: string, parameters: SqlParameters): Promise<unknown[]> {
    return (await this.#query(sql, parameters)).rows;
  }

  /** Returns each result once: a caller that asks again wants to see changes. */
  #remembered(method: 'get' | 'all', sql: string, parameters: SqlParameters): Promise<unknown> | undefined {
    if (this.#ahead.length === 0) return undefined;
    const asked = JSON.stringify(parameters);
    const index = this.#ahead.findIndex(
      (ahead) => ahead.sql === sql && ahead.method === method && ahead.parameters === asked,
    );
    return index === -1 ? undefined : this.#ahead.splice(index, 1)[0]?.result;
  }

  async #query(sql: string, parameters: SqlParameters): Promise<WireResult> {
    const { query, isRead } = this.#statements.queryFor(sql, parameters);
    if (!isRead) this.#ahead = [];
    if (this.#delayed === 0 && (isRead || this.#confirmation === null)) return this.#transmit(query, isRead);
    this.#delayed += 1;
    try {
      await this.#confirmation;
    } finally {
      this.#delayed -= 1;
    }
    return this.#transmit(query, isRead);
  }

  #transmit(query: WireQuery, isRead: boolean): Promise<WireResult> {
    if (!isRead) this.#hasWritten = true;
    return this.send(query);
  }
}

/** The key of a claim's advisory lock. That of a key that begins with `FIRST` sorts before nearly all others. */
export function hashOf(key: ClaimKey): bigint {
  const hashed = hash('sha256', key, 'buffer');
  return key.startsWith(FIRST) ? LEAST + BigInt(hashed.readUIntBE(0, FIRST_BYTES)) : hashed.readBigInt64BE();
}
