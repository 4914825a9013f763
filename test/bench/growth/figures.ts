/** Every measured figure with its target. */
import { sizeName } from './dataset.ts';
import { WRITE_KINDS } from './requests.ts';
import { DOCTOR_ALONE, type GrowthResults, type ReadResult, type SizeResult, TARGETS } from './results.ts';

export interface Figure {
  /** `sqlite 1m` */
  database: string;
  /** A group of figures: `writes`. */
  chapter: string;
  label: string;
  /** With its unit. */
  value: string;
  /** `≤ 50 ms`; empty without a target. */
  target: string;
  /** Null without a target. */
  isOk: boolean | null;
}

interface Limit {
  value: number;
  target: number;
  unit: string;
  digits: number;
  /** True for a lower limit, false for an upper limit. */
  isMinimum?: boolean;
}

/** The doctor's target is for this many customers. */
const DOCTOR_CUSTOMERS = 1_000_000;

/** The chapter of calls; `docs.ts` shows more about them. */
export const READS = 'lists and reports';

export function figuresOf({ sizes }: GrowthResults): Figure[] {
  return sizes.flatMap((size) => [
    ...startFigures(size),
    ...writeFigures(size),
    ...pageFigures(size),
    ...readFigures(size),
    ...operationFigures(size),
  ]);
}

export function databaseName({ engine, customers }: SizeResult): string {
  return `${engine} ${sizeName(customers)}`;
}

/** A figure without a target. */
function plain(size: SizeResult, chapter: string, label: string, value: string): Figure {
  return { database: databaseName(size), chapter, label, value, target: '', isOk: null };
}

function judged(size: SizeResult, chapter: string, label: string, limit: Limit): Figure {
  const { value, target, unit, digits, isMinimum = false } = limit;
  const text = (number: number) => `${number.toFixed(digits)}${unit}`;
  return {
    database: databaseName(size),
    chapter,
    label,
    value: text(value),
    target: `${isMinimum ? '≥' : '≤'} ${target}${unit}`,
    isOk: isMinimum ? value >= target : value <= target,
  };
}

function startFigures(size: SizeResult): Figure[] {
  const { migration, start, end } = size;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;
  const { bytesBefore, bytesAfter, bytesPeak } = migration;
  const disk = `${gigabytes(bytesBefore)} before, ${gigabytes(bytesAfter)} after, ${gigabytes(bytesPeak)} at most`;
  const memory = { target: TARGETS.residentMegabytes, unit: ' MB', digits: 0 };
  return [
    plain(size, 'upgrade', 'migration', `${migration.seconds.toFixed(1)} s`),
    plain(size, 'upgrade', 'disk', disk),
    judged(size, 'start', 'spawn to ready', { value: start.readyMs, target: TARGETS.startMs, unit: ' ms', digits: 0 }),
    judged(size, 'memory', 'RSS after start', { value: start.residentMegabytes, ...memory }),
    judged(size, 'memory', 'RSS at the end', { value: end.residentMegabytes, ...memory }),
    judged(size, 'memory', 'RSS at most', { value: end.highestMegabytes, ...memory }),
  ];
}

function writeFigures(size: SizeResult): Figure[] {
  const { writes } = size;
  if (writes === null) return [];
  return WRITE_KINDS.flatMap((kind) => {
    const { perSecond, p50Ms, p99Ms, ratio } = writes[kind];
    const speed = `${Math.round(perSecond)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
    const figure = plain(size, 'writes', kind, speed);
    if (ratio === null) return [figure];
    const limit = { value: ratio, target: TARGETS.writeRatio, unit: '', digits: 2, isMinimum: true };
    return [figure, judged(size, 'writes', `${kind} ÷ smallest database`, limit)];
  });
}

function pageFigures(size: SizeResult): Figure[] {
  if (size.pages === null) return [];
  const { warm, cold } = size.pages;
  const pages = (value: number) => ({ value, target: TARGETS.pagesCold, unit: '', digits: 1 });
  const bytes = (of: typeof warm) =>
    `${of.pagesCopied.toFixed(1)} copied by checkpoints, ${of.kilobytesFromDisk.toFixed(1)} KB from disk, ${of.kilobytesWritten.toFixed(1)} KB written`;
  const inMemory = plain(size, 'pages per webhook', 'in memory', `${warm.pagesRead.toFixed(1)} read, ${bytes(warm)}`);
  if (cold === null) return [inMemory, plain(size, 'pages per webhook', 'from disk', 'the system kept the file')];
  return [
    inMemory,
    judged(size, 'pages per webhook', 'read, from disk', pages(cold.pagesRead)),
    plain(size, 'pages per webhook', 'from disk', bytes(cold)),
  ];
}

function readFigures(size: SizeResult): Figure[] {
  const waited = ({ waits }: ReadResult) => waits.healthMs;
  const longest = size.reads.toSorted((a, b) => waited(b) - waited(a))[0];
  const calls = size.reads.map((read) => {
    const value = `p99 ${read.idle.p99Ms.toFixed(1)} ms, beside writes ${read.busy.p99Ms.toFixed(1)} ms`;
    const target = `≤ ${TARGETS.readP99Ms} ms`;
    const problem = problemOf(read);
    const figure = { database: databaseName(size), chapter: READS, label: read.label, target, isOk: isFast(read) };
    return { ...figure, value: problem === null ? value : `${value}, ${problem}` };
  });
  if (longest === undefined) return calls;
  const limit = { value: waited(longest), target: TARGETS.waitMs, unit: ' ms', digits: 1 };
  return [...calls, judged(size, READS, `longest health check (${longest.label})`, limit)];
}

/** Answered within the target, both with and without concurrent writes. */
export function isFast(read: ReadResult): boolean {
  const { idle, busy } = read;
  return problemOf(read) === null && Math.max(idle.p99Ms, busy.p99Ms) <= TARGETS.readP99Ms;
}

/** Null when every answer was 200. */
function problemOf({ refused }: ReadResult): string | null {
  if (refused === null) return null;
  return refused === 0 ? 'given up' : `refused with ${refused}`;
}

function operationFigures(size: SizeResult): Figure[] {
  return size.operations.flatMap(({ label, seconds, delayMs, outcome, waits }) => {
    if (label === DOCTOR_ALONE && size.customers <= DOCTOR_CUSTOMERS) {
      const limit = { value: seconds, target: TARGETS.doctorSeconds, unit: ' s', digits: 1 };
      return [judged(size, 'operations', label, limit)];
    }
    const time = plain(size, 'operations', label, `${seconds.toFixed(2)} s, ${outcome}`);
    if (waits === null) return [time];
    const delay = plain(size, 'operations', `${label}: longest delay of the event loop`, `${delayMs.toFixed(1)} ms`);
    const limit = { value: waits.healthMs, target: TARGETS.waitMs, unit: ' ms', digits: 1 };
    const click = plain(size, 'operations', `${label}: longest click`, `${waits.clickMs.toFixed(1)} ms`);
    return [time, judged(size, 'operations', `${label}: longest health check`, limit), delay, click];
  });
}

/** The figures as text for people. */
export function figureLines(figures: readonly Figure[]): string[] {
  const widths = { database: 14, label: 52, value: 44, target: 12 };
  const lines = figures.map(({ database, label, value, target, isOk }) => {
    const verdict = isOk === null ? '' : isOk ? 'ok' : 'MISSED';
    const cells = [database.padEnd(widths.database), label.padEnd(widths.label), value.padEnd(widths.value)];
    return `${cells.join(' ')} ${target.padEnd(widths.target)} ${verdict}`.trimEnd();
  });
  const missed = figures.filter(({ isOk }) => isOk === false).length;
  return [...lines, '', missed === 0 ? 'every target is reached' : `${missed} targets are missed`];
}
