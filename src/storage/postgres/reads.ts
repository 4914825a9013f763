import pg from 'pg';
import type { SqlParameters, Transaction } from '../database.ts';
import { createReadTransaction } from '../read-transaction.ts';
import { PipelinedClient, type PipelinedConfig } from './client.ts';
import { connectionFailure, databaseFailureFrom } from './failure.ts';
import type { PostgresStatements } from './statements.ts';
import { Skipped } from './wave.ts';
import type { WireQuery } from './wire-query.ts';

const CONNECTIONS_MAX = 3;
/** With this many queries under way, a connection is busy enough that opening another one pays off. */
const QUERIES_FEW = 8;
/** A lookup that waits longer to be sent is on a connection whose server may be gone. */
const JOINED_MAX_MS = 50;
/** How long a connection to a standby is used in place of the primary. While there is only a standby, it is read. */
const STANDBY_MAX_MS = 1_000;

interface Reader {
  client: PipelinedClient;
  connected: Promise<unknown>;
  openedAt: number;
  /** Queries without an answer. */
  pending: number;
}

/** Lookups of all units on a few pipelined connections; each query sees what is committed when it runs. */
export class PipelinedReads {
  readonly transaction: Transaction;
  readonly #config: PipelinedConfig;
  readonly #statements: PostgresStatements;
  readonly #leavesStandbys: boolean;
  #readers: Reader[] = [];
  /** Lookups that are not sent yet, by statement and values. */
  readonly #unsent = new Map<string, { askedAt: number; rows: Promise<unknown[]> }>();

  /**
   * @param config of read-only connections
   * @param leavesStandbys true where the address is to lead to the primary
   */
  constructor(config: PipelinedConfig, statements: PostgresStatements, { leavesStandbys = false } = {}) {
    this.#config = { ...config, gathers: true };
    this.#statements = statements;
    this.#leavesStandbys = leavesStandbys;
    const all = (sql: string, parameters: SqlParameters) => this.#rowsOf(sql, parameters);
    this.transaction = createReadTransaction({
      all,
      get: async (sql, parameters) => (await all(sql, parameters))[0],
    });
  }

  async end(): Promise<void> {
    await Promise.all(this.#readers.map(({ client }) => client.end()));
  }

  /** Until a lookup is sent, the same ones join it: most requests of a burst have the same API key. */
  #rowsOf(sql: string, parameters: SqlParameters): Promise<unknown[]> {
    const { query } = this.#statements.queryFor(sql, parameters);
    const key = `${query.name ?? query.text} ${JSON.stringify(query.values)}`;
    const askedAt = performance.now();
    const joined = this.#unsent.get(key);
    if (joined !== undefined && askedAt - joined.askedAt < JOINED_MAX_MS) {
      return joined.rows.then((rows) => rows.map((row) => ({ ...(row as object) })));
    }
    const send = () => {
      this.#unsent.delete(key);
      return query.values;
    };
    const rows = this.#ask({ ...query, values: send });
    this.#unsent.set(key, { askedAt, rows });
    rows.catch(send);
    return rows;
  }

  async #ask(query: WireQuery): Promise<unknown[]> {
    for (;;) {
      try {
        return await this.#send(query);
      } catch (error) {
        // another unit's lookup failed, not this one
        if (!(error instanceof Skipped)) throw error;
      }
    }
  }

  async #send(query: WireQuery): Promise<unknown[]> {
    const reader = this.#chooseReader();
    reader.pending += 1;
    try {
      await reader.connected;
      return (await reader.client.send(query)).rows;
    } catch (error) {
      if (error instanceof Skipped) throw error;
      if (error instanceof pg.DatabaseError && error.code === '25006') throw new Error('A read must not write');
      const failure = databaseFailureFrom(error);
      // such as a connection that has prepared statements for an older schema
      if (failure !== undefined) this.#retire(reader);
      throw failure ?? error;
    } finally {
      reader.pending -= 1;
      if (!this.#readers.includes(reader)) this.#endIfIdle(reader);
    }
  }

  #chooseReader(): Reader {
    for (const reader of this.#readers.filter((one) => this.#isOnOldPrimary(one))) this.#retire(reader);
    const idlest = this.#readers.reduce<Reader | undefined>(
      (least, reader) => (least === undefined || reader.pending < least.pending ? reader : least),
      undefined,
    );
    const isEnough = idlest !== undefined && (idlest.pending < QUERIES_FEW || this.#readers.length === CONNECTIONS_MAX);
    return isEnough ? idlest : this.#open();
  }

  #open(): Reader {
    const client = new PipelinedClient(this.#config);
    const connected = client.connect().catch((error: unknown) => {
      throw connectionFailure(error);
    });
    const reader = { client, connected, openedAt: performance.now(), pending: 0 };
    this.#readers.push(reader);
    const retire = () => this.#retire(reader);
    client.on('error', retire).on('end', retire);
    connected.catch(retire);
    return reader;
  }

  #isOnOldPrimary({ client, openedAt }: Reader): boolean {
    return this.#leavesStandbys && client.isOnStandby && performance.now() - openedAt > STANDBY_MAX_MS;
  }

  /** No further query uses it. */
  #retire(reader: Reader): void {
    this.#readers = this.#readers.filter((other) => other !== reader);
    this.#endIfIdle(reader);
  }

  #endIfIdle({ client, pending }: Reader): void {
    if (pending === 0) void client.end().catch(() => {});
  }
}
