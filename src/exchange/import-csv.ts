import { csvLine } from '../core/csv.ts';
import { type ColumnMap, fieldsOf, mapColumns } from './csv-columns.ts';
import type { CsvKind } from './csv-fields.ts';
import { type CsvRow, readCsv } from './csv-rows.ts';
import type { ImportTarget } from './import-target.ts';
import { refused } from './manifest.ts';
import { factRows } from './moved/fact-rows.ts';
import type { MovedFact } from './moved/facts.ts';
import { csvSource } from './moved/other-way.ts';
import { type PagedRow, RowPages } from './moved/row-pages.ts';
import { startReport } from './moved/run.ts';
import type { PrivateFile } from './private-file.ts';
import { factOfRow, keyOf } from './row-facts.ts';

export interface CsvImportOptions {
  file: AsyncIterable<Uint8Array>;
  kind: CsvKind;
  /** Heading → field, for headings that do not name their field. */
  columns: ReadonlyMap<string, string>;
  /** Reports for each row what would happen to it, and stores nothing. */
  isDryRun: boolean;
  /** A new file with the result of each row; null for none. */
  reportPath: string | null;
  /** How many refused rows the result names, and how many with a part left out; 20 each by default. */
  problemsMax?: number;
  /** Ends the import between two rows. */
  signal?: AbortSignal;
  onRow?: (soFar: CsvImport) => void;
}

export interface CsvImport {
  kind: CsvKind;
  dryRun: boolean;
  rows: number;
  /** In a dry run: the number that would be created, and so on. */
  created: number;
  changed: number;
  unchanged: number;
  refused: number;
  /** Rows of which a part was left out; they are also counted by what became of the rest. */
  leftOut: number;
  ignoredColumns: string[];
  /** The first refused rows; the report file contains all of them. */
  problems: CsvProblem[];
  /** The first rows of which a part was left out. */
  leftOutRows: CsvProblem[];
}

interface CsvProblem {
  line: number;
  key: string;
  reason: string;
}

interface RowToImport extends PagedRow {
  line: number;
  key: string;
}

const PROBLEMS_MAX = 20;
/** What a file comes from that names no service. */
const FILE = 'CSV file';

/**
 * Imports a CSV file, one row or a page of rows in a unit of work. Rows that are already in the database change
 * nothing, so the same file can be imported again, also after a crash. A refused row does not stop the others.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a file or mapping that cannot be read; `UNAVAILABLE` when the database
 *   fails for longer than half a minute; the signal's reason
 */
export async function importCsv(target: ImportTarget, options: CsvImportOptions): Promise<CsvImport> {
  const { file, kind, isDryRun, reportPath, problemsMax = PROBLEMS_MAX, signal, onRow = () => {} } = options;
  const counts: CsvImport = {
    kind,
    dryRun: isDryRun,
    rows: 0,
    created: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    leftOut: 0,
    ignoredColumns: [],
    problems: [],
    leftOutRows: [],
  };
  const { origin, ...into } = target;
  const toRow = factRows({ ...into, source: csvSource(origin ?? FILE), partnersBy: 'address' }, isDryRun);
  const pages = new RowPages(target.service, { isDryRun, signal });
  let map: ColumnMap | null = null;
  let report = null as PrivateFile | null;
  const begin = async ({ cells, flaw }: CsvRow): Promise<ColumnMap> => {
    if (flaw !== undefined) throw refused(flaw);
    const begun = mapColumns(kind, cells, options.columns);
    counts.ignoredColumns = begun.ignored;
    report = reportPath === null ? null : await startReport(reportPath, ['line', 'result', 'key', 'reason']);
    return begun;
  };
  async function* rows(): AsyncGenerator<RowToImport> {
    for await (const row of readCsv(file)) {
      if (map === null) {
        map = await begin(row);
        continue;
      }
      const { line, flaw } = row;
      const fields = fieldsOf(map, row);
      const read = (): MovedFact => {
        if (flaw !== undefined) throw refused(flaw);
        return factOfRow[kind](fields);
      };
      yield { line, key: keyOf(kind, fields), ...rowOf(read, toRow) };
    }
  }
  try {
    for await (const { row, outcome } of pages.store(rows())) {
      const { line, key } = row;
      const { result, reason, hasLeftOut } = outcome;
      counts.rows += 1;
      counts[result] += 1;
      if (hasLeftOut) counts.leftOut += 1;
      const problems = result === 'refused' ? counts.problems : hasLeftOut ? counts.leftOutRows : null;
      if (problems !== null && problems.length < problemsMax) problems.push({ line, key, reason: reason ?? '' });
      await report?.write(csvLine([line, result, key, reason]));
      onRow(counts);
    }
    if (map === null) throw refused('The file is empty: it needs a row of headings');
    await report?.finish();
    return counts;
  } catch (error) {
    await report?.finish().catch(() => {});
    throw error;
  }
}

/** A row that cannot be read is refused when it is applied. */
function rowOf(read: () => MovedFact, toRow: (fact: MovedFact) => PagedRow): PagedRow {
  try {
    return toRow(read());
  } catch (error) {
    return { marks: null, apply: () => Promise.reject(error) };
  }
}
