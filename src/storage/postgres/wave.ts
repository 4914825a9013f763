import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { SqlValue } from '../database.ts';
import { apart, combine, type Sent } from './combine.ts';
import { POSTGRES_TYPES } from './types.ts';
import { bindMessage, hasLargeValue, writeParts } from './wire-parts.ts';
import type { Pending } from './wire-query.ts';

/** How the server has described a statement. */
interface Description {
  parameterTypes: readonly number[];
  /** How its rows are read. */
  names: readonly string[];
  parsers: readonly ((text: string) => unknown)[];
}

const UNDESCRIBED: Description = { parameterTypes: [], names: [], parsers: [] };

/** What the connection's server has prepared, by name; null before its first answer. */
export type Prepared = Map<string, Description | null>;

/** The rows of one execution so far. */
interface Answer {
  rows: Record<string, unknown>[];
  /** A value that could not be read; the statement itself has succeeded. */
  unreadable?: { error: unknown };
}

/** The part of pg's connection that this file uses; pg's types do not declare it. */
interface Wire {
  stream: Duplex;
  on(event: 'parameterDescription', listener: (message: { dataTypeIDs: readonly number[] }) => void): void;
  off(event: 'parameterDescription', listener: (message: { dataTypeIDs: readonly number[] }) => void): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly SqlValue[]; valueMapper: (value: SqlValue) => unknown }): void;
  describe(message: { type: 'S'; name: string }): void;
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
  readonly #statements: readonly Sent[];
  readonly #prepared: Prepared;
  readonly #onEnd: () => void;
  /** The statement whose answer comes next. */
  #index = 0;
  #description: Description = UNDESCRIBED;
  /** For each execution of that statement. */
  #answers: Answer[] = [];
  #isEnded = false;
  #stopListening = () => {};
  /** pg wraps it to clear its timeout. */
  callback: (error: Error | null) => void = () => {};

  /** @param combines whether executions of the same statement may be combined */
  constructor(pending: readonly Pending[], prepared: Prepared, combines: boolean, onEnd: () => void) {
    super('');
    const typesOf = (name: string) => prepared.get(name)?.parameterTypes;
    this.#statements = combines ? combine(pending, typesOf) : pending.map(apart);
    this.#prepared = prepared;
    this.#onEnd = onEnd;
  }

  override submit = (connection: pg.Connection): void => {
    const wire = connection as unknown as Wire;
    const parts: Buffer[] = [];
    // pg has no handler for it
    const onParameters = ({ dataTypeIDs }: { dataTypeIDs: readonly number[] }) => {
      this.#description = { ...UNDESCRIBED, parameterTypes: dataTypeIDs };
    };
    wire.on('parameterDescription', onParameters);
    this.#stopListening = () => wire.off('parameterDescription', onParameters);
    wire.stream.write = (part: Buffer) => parts.push(part) > 0;
    try {
      for (const statement of this.#statements) this.#write(wire, statement);
      wire.sync();
    } finally {
      Reflect.deleteProperty(wire.stream, 'write');
    }
    writeParts(wire.stream, parts);
    this.#startNext();
  };

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const names = fields.map(({ name }) => name);
    const parsers = fields.map(({ dataTypeID }) => POSTGRES_TYPES.getTypeParser(dataTypeID));
    this.#description = { ...this.#description, names, parsers };
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const { names, parsers } = this.#description;
    const { isNumbered } = this.#statements[this.#index] as Sent;
    const answer = this.#answers[isNumbered ? Number(fields[0]) - 1 : 0] as Answer;
    const row: Record<string, unknown> = {};
    try {
      for (let index = isNumbered ? 1 : 0; index < names.length; index += 1) {
        const text = fields[index] ?? null;
        row[names[index] as string] = text === null ? null : parsers[index]?.(text);
      }
      answer.rows.push(row);
    } catch (error) {
      answer.unreadable ??= { error };
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const { name, waiting, isNumbered } = this.#statements[this.#index] as Sent;
    const answers = this.#answers;
    if (name !== undefined) this.#prepared.set(name, this.#description);
    this.#index += 1;
    this.#startNext();
    const words = text.split(' ');
    const [command = ''] = words;
    // a combined statement, which is a lookup or inserts a row for each execution, counts those of all executions
    const count = waiting.length > 1 ? 1 : Number(words.at(-1));
    const rowCount = Number.isNaN(count) ? 0 : count;
    waiting.forEach(({ resolve, reject }, index) => {
      const { rows, unreadable } = answers[index] as Answer;
      if (unreadable) reject(unreadable.error);
      else resolve({ rows, rowCount: isNumbered ? rows.length : rowCount, command });
    });
  }

  handleError(error: Error): void {
    const [failed, ...skipped] = this.#statements.slice(this.#index);
    // not of a pooler that lost its server, which may have run them all, COMMIT included
    const isOfServer = error instanceof pg.DatabaseError && error.routine !== undefined;
    // the server may or may not have prepared them
    for (const { name } of this.#statements.slice(this.#index)) this.#prepared.delete(name ?? '');
    this.#end(error);
    for (const { reject } of failed?.waiting ?? []) reject(error);
    for (const { reject } of skipped.flatMap(({ waiting }) => waiting)) {
      reject(isOfServer ? new Skipped(error) : error);
    }
  }

  handleReadyForQuery(): void {
    this.#end(null);
  }

  #end(error: Error | null): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopListening();
    this.callback(error);
    this.#onEnd();
  }

  #startNext(): void {
    const { name, waiting } = this.#statements[this.#index] ?? {};
    this.#description = (name === undefined ? null : this.#prepared.get(name)) ?? UNDESCRIBED;
    this.#answers = waiting?.map(() => ({ rows: [] })) ?? [];
  }

  #write(wire: Wire, { name, text, values }: Sent): void {
    const isPrepared = name !== undefined && this.#prepared.has(name);
    const statement = name ?? '';
    // described once, because what a prepared statement takes and returns cannot change
    const isDescribed = isPrepared && this.#prepared.get(statement) !== null;
    if (!isPrepared) {
      if (name !== undefined) {
        wire.close({ type: 'S', name });
        this.#prepared.set(name, null);
      }
      wire.parse({ name: statement, text });
    }
    if (!isDescribed) wire.describe({ type: 'S', name: statement });
    if (hasLargeValue(values)) wire.stream.write(bindMessage(statement, values));
    else wire.bind({ statement, values, valueMapper: asText });
    wire.execute({ portal: '' });
  }
}
