import { csvLine } from '../../core/csv.ts';
import { refused } from '../manifest.ts';
import { PrivateFile } from '../private-file.ts';
import { factRows } from './fact-rows.ts';
import { MOVED_KINDS, type MovedFact, type MovedKind, type SourceItem } from './facts.ts';
import { type PagedRow, RowPages } from './row-pages.ts';
import { type FactsTarget, unchanged } from './target.ts';

export interface FactsImportOptions {
  /** Reports for each fact what would happen to it, and stores nothing. */
  isDryRun: boolean;
  /** A new file with the result of each fact; null for none. */
  reportPath: string | null;
  /** How many refused facts, and how many left out, the result names; 20 each by default. */
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
  /** All items that the source has yielded so far. */
  items: number;
  leftOut: number;
  byKind: Record<MovedKind, FactCounts>;
  /** The first refused and the first left out; the report file contains all of them. */
  problems: { kind: string; id: string; result: 'refused' | 'left out'; reason: string }[];
}

const PROBLEMS_MAX = 20;

/**
 * Imports what a source yields, one fact or a page of facts in a unit of work. Facts that were imported before change
 * nothing, so the same source can be imported again, also after a crash. A refused fact does not stop the others.
 *
 * @throws ServiceError when the source cannot be read, or `UNAVAILABLE` when the database fails for half a minute; the
 *   signal's reason; what was imported stays
 */
export async function importFacts(
  target: FactsTarget,
  items: AsyncIterable<SourceItem>,
  { isDryRun, reportPath, problemsMax = PROBLEMS_MAX, signal, onItem = () => {} }: FactsImportOptions,
): Promise<FactsImport> {
  const counts = noCounts(target.source.name, isDryRun);
  const pages = new RowPages(target.service, { isDryRun, signal });
  const report = reportPath === null ? null : await startReport(reportPath, ['kind', 'id', 'result', 'reason']);
  try {
    for await (const { row, outcome } of pages.store(rowsOf(items, factRows(target, isDryRun)))) {
      const { item } = row;
      const { kind, result, reason } = isFact(item)
        ? { kind: item.kind, ...outcome }
        : { kind: item.what, result: item.kind, reason: item.reason };
      counts.items += 1;
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

/** Keeps the first of each result, so that hundreds that were left out do not hide one that was refused. */
function keepFirst(problems: FactsImport['problems'], problem: FactsImport['problems'][number], max: number): void {
  if (problems.filter(({ result }) => result === problem.result).length < max) problems.push(problem);
}

function isFact(item: SourceItem): item is MovedFact {
  return item.kind !== 'left out' && item.kind !== 'refused';
}

/** An item as a row; one that is not a fact stores nothing. */
interface ItemRow extends PagedRow {
  item: SourceItem;
}

async function* rowsOf(
  items: AsyncIterable<SourceItem>,
  rowOf: (fact: MovedFact) => PagedRow,
): AsyncGenerator<ItemRow> {
  for await (const item of items) yield { item, ...(isFact(item) ? rowOf(item) : NOTHING) };
}

const NOTHING: PagedRow = { marks: null, apply: () => Promise.resolve(unchanged) };

/** @throws ServiceError `VALIDATION_ERROR` when the file already exists */
export async function startReport(path: string, headings: readonly string[]): Promise<PrivateFile> {
  const report = await PrivateFile.create(path).catch((error: unknown) => {
    throw refused(`The report ${path} cannot be created: name a new file in a folder that exists`, error);
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
