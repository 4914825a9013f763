import pg from 'pg';
import type { SqlValue } from '../database.ts';
import { POSTGRES_TYPES } from './types.ts';

/** One statement. Without a name, it is parsed every time. */
export interface WireQuery {
  name?: string;
  text: string;
  /** A function is called when the statement is sent: until then, its values may change. */
  values?: SqlValue[] | (() => SqlValue[]);
}

export interface WireResult {
  rows: Record<string, unknown>[];
  rowCount: number;
  /** What the server ran, such as `COMMIT`. */
  command: string;
}

/** A statement on its way, and who waits for it. */
export interface Pending {
  query: WireQuery;
  resolve(result: WireResult): void;
  reject(error: unknown): void;
}

/** How the rows of a prepared statement are read. */
interface RowReader {
  names: readonly string[];
  parsers: readonly ((text: string) => unknown)[];
}

const NO_ROWS: RowReader = { names: [], parsers: [] };

/** What the connection's server has prepared, by name; null before its first answer. */
export type Prepared = Map<string, RowReader | null>;

/** The part of pg's connection that this file uses; pg's types do not declare it. */
interface Wire {
  stream: { write(part: Buffer): boolean };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly SqlValue[]; valueMapper: (value: SqlValue) => unknown }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal: string }): void;
  close(message: { type: 'S'; name: string }): void;
  sync(): void;
}

/** Rejects a statement that the server did not run, because one before it in its wave failed. */
export class Skipped extends Error {
  constructor(cause: Error) {
    super('An earlier statement failed', { cause });
  }
}

const asText = (value: SqlValue) => (typeof value === 'number' ? String(value) : value);

/**
 * Statements that are sent in one write and answered together; pg treats them as one query. pg itself ends each query
 * with a Sync, after which the server writes to the socket; for both sides, that costs more than most statements.
 *
 * When a statement fails, the server skips those behind it.
 */
export class Wave extends pg.Query {
  readonly #pending: readonly Pending[];
  readonly #prepared: Prepared;
  readonly #onEnd: () => void;
  /** The statement whose answer comes next. */
  #index = 0;
  #reader: RowReader | null = null;
  #rows: Record<string, unknown>[] = [];
  /** A value that could not be read; the statement itself has succeeded. */
  #unreadable: { error: unknown } | undefined;
  #isEnded = false;
  /** pg wraps it to clear its timeout. */
  callback: (error: Error | null) => void = () => {};

  constructor(pending: readonly Pending[], prepared: Prepared, onEnd: () => void) {
    super('');
    this.#pending = pending;
    this.#prepared = prepared;
    this.#onEnd = onEnd;
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    const parts: Buffer[] = [];
    wire.stream.write = (part) => parts.push(part) > 0;
    try {
      for (const { query } of this.#pending) this.#write(wire, query);
      wire.sync();
    } finally {
      Reflect.deleteProperty(wire.stream, 'write');
    }
    wire.stream.write(Buffer.concat(parts));
    this.#startNext();
  };

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const names = fields.map(({ name }) => name);
    const parsers = fields.map(({ dataTypeID }) => POSTGRES_TYPES.getTypeParser(dataTypeID));
    this.#reader = { names, parsers };
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { names, parsers } = this.#reader ?? NO_ROWS;
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < names.length; index += 1) {
        const text = fields[index] ?? null;
        row[names[index] as string] = text === null ? null : parsers[index]?.(text);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#unreadable ??= { error };
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const pending = this.#pending[this.#index];
    const [rows, unreadable] = [this.#rows, this.#unreadable];
    const { name } = pending?.query ?? {};
    if (name !== undefined) this.#prepared.set(name, this.#reader ?? NO_ROWS);
    this.#index += 1;
    this.#startNext();
    if (unreadable) {
      pending?.reject(unreadable.error);
      return;
    }
    const words = text.split(' ');
    const rowCount = Number(words.at(-1));
    pending?.resolve({ rows, rowCount: Number.isNaN(rowCount) ? 0 : rowCount, command: words[0] ?? '' });
  }

  handleError(error: Error): void {
    const [first, ...others] = this.#pending.slice(this.#index);
    // not of a pooler that lost its server, which may have run them all, COMMIT included
    const isOfServer = error instanceof pg.DatabaseError && error.routine !== undefined;
    // the server may or may not have prepared them
    for (const { query } of this.#pending.slice(this.#index)) this.#prepared.delete(query.name ?? '');
    this.#end(error);
    first?.reject(error);
    for (const { reject } of others) reject(isOfServer ? new Skipped(error) : error);
  }

  handleReadyForQuery(): void {
    this.#end(null);
  }

  #end(error: Error | null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.callback(error);
    this.#onEnd();
  }

  #startNext(): void {
    const name = this.#pending[this.#index]?.query.name;
    this.#reader = (name === undefined ? null : this.#prepared.get(name)) ?? null;
    this.#rows = [];
    this.#unreadable = undefined;
  }

  #write(wire: Wire, { name, text, values: given = [] }: WireQuery): void {
    const values = typeof given === 'function' ? given() : given;
    const isPrepared = name !== undefined && this.#prepared.has(name);
    const statement = name ?? '';
    if (!isPrepared) {
      if (name !== undefined) {
        wire.close({ type: 'S', name });
        this.#prepared.set(name, null);
      }
      wire.parse({ name: statement, text });
    }
    wire.bind({ statement, values, valueMapper: asText });
    // described once, because what a prepared statement returns cannot change
    if (!isPrepared || this.#prepared.get(statement) === null) wire.describe({ type: 'P', name: '' });
    wire.execute({ portal: '' });
  }
}
