import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import type { TestApp } from '../helpers/app.ts';
import { unique } from '../helpers/story.ts';

export interface ImportTextOptions {
  isDryRun?: boolean;
  map?: [string, string][];
  /** The service that the file comes from. */
  origin?: string;
}

/** Imports the text of a CSV file; returns the counts and the report. */
export async function importCsvText(
  { service, accountId }: TestApp,
  folder: string,
  kind: CsvKind,
  { text, isDryRun = false, map = [], origin }: ImportTextOptions & { text: string },
) {
  const [path, reportPath] = [join(folder, unique('file')), join(folder, unique('report'))];
  await writeFile(path, text);
  const options = { file: createReadStream(path), kind, columns: new Map(map), isDryRun, reportPath };
  const result = await importCsv({ service, accountId, programId: null, origin: origin ?? null }, options);
  return { ...result, report: await readFile(reportPath, 'utf8') };
}

export const counts = (created: number, unchanged: number, refused: number) => ({
  created,
  unchanged,
  refused,
  changed: 0,
});
