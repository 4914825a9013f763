/** The results of a run, as `--json` prints them; `docs/performance.md` is generated from them. */
import type { Engine } from '../../helpers/databases.ts';
import type { Migration } from './dataset.ts';
import type { WriteKind } from './requests.ts';
import type { LongestWaits } from './waits.ts';

/** Targets; a figure at the limit passes. */
export const TARGETS = {
  writeRatio: 0.8,
  pagesCold: 30,
  readP99Ms: 50,
  waitMs: 20,
  startMs: 1_000,
  residentMegabytes: 200,
  /** Of a million customers. */
  doctorSeconds: 10,
};

/** The operation that `doctorSeconds` is about. */
export const DOCTOR_ALONE = 'doctor, alone';

export interface GrowthResults {
  /** The day, `2026-11-30`. */
  day: string;
  version: string;
  schemaVersion: number;
  machine: { cores: number; processor: string; memoryGigabytes: number; node: string };
  /** The system's load average over a minute, before and after the run: it shows whether other work was running. */
  loadAverage: { before: number; after: number };
  sizes: SizeResult[];
}

/** The values of `--only`. */
export const PARTS = ['writes', 'pages', 'reads', 'operations'] as const;
export type Part = (typeof PARTS)[number];

export interface SizeResult {
  engine: Engine;
  customers: number;
  migration: Migration;
  start: { readyMs: number; residentMegabytes: number };
  /**
   * Null when they were not measured, like `pages` on PostgreSQL, which does not show them; `reads` and `operations`
   * are empty then.
   */
  writes: Record<WriteKind, WriteResult> | null;
  pages: { warm: PageResult; cold: PageResult | null } | null;
  reads: ReadResult[];
  operations: OperationResult[];
  end: { residentMegabytes: number; highestMegabytes: number };
}

export interface WriteResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /**
   * The ratio to the smallest database, in rounds that alternated with it, as the median over all rounds; null for the
   * smallest itself.
   */
  ratio: number | null;
}

/** Per webhook. */
export interface PageResult {
  /** Database pages that the threads which answer read, from memory or disk. */
  pagesRead: number;
  /** Pages that the checkpoints read from the write-ahead log, to copy them into the file. */
  pagesCopied: number;
  kilobytesFromDisk: number;
  kilobytesWritten: number;
}

/** Milliseconds at one connection; `busy`: during a constant load of webhooks. */
export interface ReadResult {
  operationId: string;
  label: string;
  requests: number;
  idle: { p50Ms: number; p99Ms: number };
  busy: { p50Ms: number; p99Ms: number };
  /** The longest time that other requests waited while nothing else ran. */
  waits: LongestWaits;
  /** The status of the first answer that was not 200; null when all were, 0 for an abandoned request. */
  refused: number | null;
}

export interface OperationResult {
  label: string;
  seconds: number;
  /**
   * The longest delay of the server's event loop; the waits also include the time for which the client waited for a CPU
   * core.
   */
  delayMs: number;
  /** Null when nothing measured them. */
  waits: LongestWaits | null;
  /** The result, for people: `1,251 entries`. */
  outcome: string;
}
