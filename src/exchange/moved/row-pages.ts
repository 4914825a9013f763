import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { insideUnit } from '../../app/inside-unit.ts';
import type { Service } from '../../app/service.ts';
import { ServiceError } from '../../errors.ts';
import { type RowOutcome, resultOf } from './row-outcome.ts';
import type { Applied } from './target.ts';

/** A record of a file, or of another service. */
export interface PagedRow {
  /**
   * What identifies the record and its payment. No two records of a page have a mark in common, because sums are only
   * written at the end of a unit of work. Null for a record that is stored by itself.
   */
  marks: readonly string[] | null;
  /** Stores it with this service. @throws ServiceError with the reason why it is refused */
  apply(service: Service): Promise<Applied>;
}

/** Other writers wait for a page that holds their keys. After this time, no further row joins its unit of work. */
const PAGE_MS_MAX = 200;
const PAGE_ROWS_MAX = 32;

/**
 * Stores rows in pages, each in one unit of work: on PostgreSQL, most of the time of a small unit is spent on its round
 * trips and its commit. When a row of a page is refused, the page is rolled back and its rows are stored one by one, so
 * that each has the result that it would have by itself.
 */
export class RowPages {
  readonly #service: Service;
  readonly #rowsMax: number;
  readonly #signal: AbortSignal | undefined;
  #size = 1;

  /**
   * @param options.isDryRun true to apply rows one by one, because each is rolled back
   * @param options.signal ends the import between two rows; of an unfinished page, nothing is stored
   */
  constructor(service: Service, { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal | undefined }) {
    this.#service = service;
    this.#signal = signal;
    // on SQLite, everything else in the process waits for a unit of work
    this.#rowsMax = isDryRun || service.database.engine === 'sqlite' ? 1 : PAGE_ROWS_MAX;
  }

  /** Stores the rows; yields the outcome of each, in order, once it is stored. @throws as `rows` and `resultOf` */
  async *store<Row extends PagedRow>(rows: AsyncIterable<Row>): AsyncGenerator<{ row: Row; outcome: RowOutcome }> {
    for await (const page of this.#pagesOf(rows)) {
      for (let rest = page; rest.length > 0; ) {
        this.#signal?.throwIfAborted();
        const applied = rest.length === 1 ? null : await this.#storeTogether(rest);
        if (applied === null) {
          yield* this.#storeEach(rest);
          break;
        }
        this.#resize(this.#size * 2);
        for (const [index, outcome] of applied.entries()) yield { row: rest[index] as Row, outcome };
        rest = rest.slice(applied.length);
      }
    }
  }

  /** When reading fails, the rows that were read come first. */
  async *#pagesOf<Row extends PagedRow>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
    let page: Row[] = [];
    let failure: { error: unknown } | null = null;
    const marks = new Set<string>();
    const endPage = () => {
      const ended = page;
      page = [];
      marks.clear();
      return ended;
    };
    try {
      for await (const row of rows) {
        const isJoining = row.marks?.every((mark) => !marks.has(mark)) ?? false;
        if (!isJoining && page.length > 0) yield endPage();
        page.push(row);
        for (const mark of row.marks ?? []) marks.add(mark);
        if (row.marks === null || page.length >= this.#size) yield endPage();
      }
    } catch (error) {
      failure = { error };
    }
    if (page.length > 0) yield page;
    if (failure !== null) throw failure.error;
  }

  /** Stores the first rows. Null when nothing was stored, or when that is unknown: rows that were stored are then unchanged. */
  async #storeTogether(page: readonly PagedRow[]): Promise<Applied[] | null> {
    // including the time of an attempt that starts again because of others' keys
    const startedAt = performance.now();
    try {
      return await this.#service.database.write(
        async (tx) => {
          const service = insideUnit(this.#service, tx);
          const applied: Applied[] = [];
          for (const row of page) {
            this.#signal?.throwIfAborted();
            applied.push(await row.apply(service));
            if (performance.now() - startedAt >= PAGE_MS_MAX) break;
          }
          return applied;
        },
        { alone: true },
      );
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  async *#storeEach<Row extends PagedRow>(page: readonly Row[]): AsyncGenerator<{ row: Row; outcome: RowOutcome }> {
    let hasRefused = false;
    for (const row of page) {
      this.#signal?.throwIfAborted();
      const outcome = await resultOf(() => row.apply(this.#service), this.#signal);
      hasRefused ||= outcome.result === 'refused';
      // a row that is refused before the database is asked ends in this turn, and so would thousands of them
      await yieldToEventLoop();
      yield { row, outcome };
    }
    this.#resize(hasRefused ? 1 : this.#size * 2);
  }

  #resize(size: number): void {
    this.#size = Math.max(1, Math.min(this.#rowsMax, size));
  }
}
