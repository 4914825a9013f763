import { csvLine } from '../../core/csv.ts';
import { ServiceError } from '../../errors.ts';
import { refused } from '../manifest.ts';
import { PrivateFile } from '../private-file.ts';
import { applyFact } from './apply.ts';
import { DryRun } from './dry-run.ts';
import { MOVED_KINDS, type MovedFact, type MovedKind, type SourceItem } from './facts.ts';
import { type Applied, type FactsTarget, insideUnit } from './target.ts';

export interface FactsImportOptions {
  /** Says for each fact what would become of it, and stores nothing. */
  isDryRun: boolean;
  /** A new file with the result of each fact; null for none. */
  reportPath: string | null;
  /** How many of the refused, and of those left out, the result names; 20 each by default. */
  problemsMax?: number;
  /** Ends the import between two facts. */
  signal?: AbortSignal;
  onItem?: (soFar: FactsImport) => void;
}

export interface FactCounts {
  created: number;
  changed: number;
  unchanged: number;
  refused: number;
}

export interface FactsImport extends FactCounts {
  source: string;
  dryRun: boolean;
  /** All that the source has told so far. */
  items: number;
  leftOut: number;
  byKind: Record<MovedKind, FactCounts>;
  /** The first that were refused, and the first that were left out; the report file has all. */
  problems: { kind: string; id: string; result: 'refused' | 'left out'; reason: string }[];
}

const PROBLEMS_MAX = 20;

/**
 * Imports what a source tells, each fact in a unit of work of its own. Facts that are here already change nothing, so that
 * the same source can be imported again, also after a crash. A refused fact does not stop the others.
 *
 * @throws ServiceError when the source cannot be read, or `UNAVAILABLE` when the database fails; the signal's reason;
 *   what was imported stays
 */
export async function importFacts(
  target: FactsTarget,
  items: AsyncIterable<SourceItem>,
  { isDryRun, reportPath, problemsMax = PROBLEMS_MAX, signal, onItem = () => {} }: FactsImportOptions,
): Promise<FactsImport> {
  const counts = noCounts(target.source.name, isDryRun);
  const apply = isDryRun ? new DryRun(target) : { apply: (fact: MovedFact) => applyInUnit(target, fact) };
  const report = reportPath === null ? null : await startReport(reportPath, ['kind', 'id', 'result', 'reason']);
  try {
    for await (const item of items) {
      signal?.throwIfAborted();
      counts.items += 1;
      const { kind, result, reason } = isFact(item)
        ? { kind: item.kind, ...(await resultOf(() => apply.apply(item))) }
        : { kind: item.what, result: item.kind, reason: item.reason };
      count(counts, kind, result);
      if (result === 'refused' || result === 'left out') {
        keepFirst(counts.problems, { kind, id: item.id, result, reason: reason ?? '' }, problemsMax);
      }
      await report?.write(csvLine([kind, item.id, result, reason]));
      onItem(counts);
    }
    await report?.finish();
    return counts;
  } catch (error) {
    await report?.finish().catch(() => {});
    throw error;
  }
}

/** Of each result, so that what is left out by the hundred hides nothing that was refused. */
function keepFirst(problems: FactsImport['problems'], problem: FactsImport['problems'][number], max: number): void {
  if (problems.filter(({ result }) => result === problem.result).length < max) problems.push(problem);
}

function isFact(item: SourceItem): item is MovedFact {
  return item.kind !== 'left out' && item.kind !== 'refused';
}

function applyInUnit({ service, ...target }: FactsTarget, fact: MovedFact): Promise<Applied> {
  return service.database.write((tx) => applyFact({ ...target, tx, service: insideUnit(service, tx) }, fact), {
    alone: true,
  });
}

/** The result of the work, or why it was refused. @throws what is no fault of the row */
export async function resultOf(
  work: () => Promise<Applied>,
): Promise<{ result: Applied['result'] | 'refused'; reason: string | null }> {
  try {
    return await work();
  } catch (error) {
    // the database failed, or a bug: no row's own fault
    if (!(error instanceof ServiceError) || error.code === 'UNAVAILABLE') throw error;
    return { result: 'refused', reason: error.message };
  }
}

/** @throws ServiceError `VALIDATION_ERROR` when there is such a file */
export async function startReport(path: string, headings: readonly string[]): Promise<PrivateFile> {
  const report = await PrivateFile.create(path).catch((error: unknown) => {
    throw refused(`The report ${path} cannot be created: name a file that does not exist yet`, error);
  });
  await report.write(csvLine(headings));
  return report;
}

function count(counts: FactsImport, kind: string, result: keyof FactCounts | 'left out'): void {
  if (result === 'left out') {
    counts.leftOut += 1;
    return;
  }
  counts[result] += 1;
  const ofKind = counts.byKind[kind as MovedKind];
  if (ofKind !== undefined) ofKind[result] += 1;
}

function noCounts(source: string, dryRun: boolean): FactsImport {
  const none = () => ({ created: 0, changed: 0, unchanged: 0, refused: 0 });
  const byKind = Object.fromEntries(MOVED_KINDS.map((kind) => [kind, none()])) as FactsImport['byKind'];
  return { source, dryRun, items: 0, ...none(), leftOut: 0, byKind, problems: [] };
}
