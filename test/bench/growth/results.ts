/** What a run measured, as `--json` prints it and `docs/performance.md` is made from. */
import type { Engine } from '../../helpers/databases.ts';
import type { Migration } from './dataset.ts';
import type { WriteKind } from './requests.ts';
import type { LongestWaits } from './waits.ts';

/** Targets; a figure at the limit is ok. */
export const TARGETS = {
  writeRatio: 0.8,
  pagesCold: 30,
  readP99Ms: 50,
  waitMs: 20,
  startMs: 1_000,
  residentMegabytes: 200,
};

export interface GrowthResults {
  /** The day, `2026-11-30`. */
  day: string;
  version: string;
  schemaVersion: number;
  machine: { cores: number; processor: string; memoryGigabytes: number; node: string };
  /** Of the system over a minute, before the run and after it: above the first, other work ran beside it. */
  loadAverage: { before: number; after: number };
  sizes: SizeResult[];
}

/** What `--only` may choose. */
export const PARTS = ['writes', 'pages', 'reads', 'operations'] as const;
export type Part = (typeof PARTS)[number];

export interface SizeResult {
  engine: Engine;
  customers: number;
  migration: Migration;
  start: { readyMs: number; residentMegabytes: number };
  /** Null when they were not measured, as with `pages`, which PostgreSQL does not show; `reads` and `operations` are empty. */
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
  /** To the smallest database in rounds that alternated with this one's, the median of rounds; null for that one itself. */
  ratio: number | null;
}

/** Per webhook. */
export interface PageResult {
  /** Database pages that the process read, from memory or disk. */
  pagesRead: number;
  kilobytesFromDisk: number;
  kilobytesWritten: number;
}

/** Milliseconds at one connection; `busy` beside a constant load of webhooks. */
export interface ReadResult {
  operationId: string;
  label: string;
  requests: number;
  idle: { p50Ms: number; p99Ms: number };
  busy: { p50Ms: number; p99Ms: number };
  /** The longest that others waited while nothing else ran. */
  waits: LongestWaits;
  /** The status of the first answer that was not 200; null when all were, 0 for one that was given up. */
  refused: number | null;
}

export interface OperationResult {
  label: string;
  seconds: number;
  /** The longest delay of the server's event loop; the waits also contain what the client waited for a core. */
  delayMs: number;
  /** Null where nobody was watching. */
  waits: LongestWaits | null;
  /** What came out, for people: `1,251 entries`. */
  outcome: string;
}
