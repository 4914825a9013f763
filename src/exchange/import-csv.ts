import type { Service } from '../app/service.ts';
import { csvLine } from '../core/csv.ts';
import { type ColumnMap, fieldsOf, mapColumns } from './csv-columns.ts';
import type { CsvKind } from './csv-fields.ts';
import { readCsv } from './csv-rows.ts';
import { importRow, keyOf, recordOfRow } from './import-row.ts';
import type { ImportTarget } from './import-target.ts';
import { refused } from './manifest.ts';
import { resultOf, startReport } from './moved/run.ts';
import { SeenRecords } from './moved/seen-records.ts';
import { PartnersDryRun } from './partner-row.ts';
import type { PrivateFile } from './private-file.ts';
import { rolledBack } from './rolled-back.ts';

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

const PROBLEMS_MAX = 20;

/**
 * Imports a CSV file row by row, each in its own unit of work. Rows that are already in the database change nothing, so
 * the same file can be imported again, also after a crash. A refused row does not stop the others.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a file or mapping that cannot be read; `UNAVAILABLE` when the database
 *   fails for longer than half a minute; the signal's reason
 */
export async function importCsv(target: ImportTarget, options: CsvImportOptions): Promise<CsvImport> {
  const { file, kind, isDryRun, reportPath, problemsMax = PROBLEMS_MAX, signal, onRow = () => {} } = options;
  const into = isDryRun ? { ...target, service: withoutStoring(target.service) } : target;
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
  // a dry run stores nothing, so it must remember what earlier rows would have stored
  const seen = new SeenRecords();
  const partners = new PartnersDryRun(target);
  let map: ColumnMap | null = null;
  let report: PrivateFile | null = null;
  try {
    for await (const row of readCsv(file)) {
      const { line, cells, flaw } = row;
      signal?.throwIfAborted();
      if (map === null) {
        if (flaw !== undefined) throw refused(flaw);
        map = mapColumns(kind, cells, options.columns);
        counts.ignoredColumns = map.ignored;
        report = reportPath === null ? null : await startReport(reportPath, ['line', 'result', 'key', 'reason']);
        continue;
      }
      const fields = fieldsOf(map, row);
      const key = keyOf(kind, fields);
      const apply = () => importRow[kind](into, fields);
      const { result, reason, hasLeftOut } = await resultOf(async () => {
        if (flaw !== undefined) throw refused(flaw);
        if (!isDryRun) return apply();
        return kind === 'partners' ? partners.apply(fields) : seen.apply(recordOfRow(kind, fields), apply);
      }, signal);
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
    await report?.abandon();
    throw error;
  }
}

/** The service, with every unit of work rolled back after it has run. */
function withoutStoring(service: Service): Service {
  const { database } = service;
  const write: Service['database']['write'] = (unit) => rolledBack(database, unit);
  return Object.freeze({ ...service, database: { ...database, write } });
}
