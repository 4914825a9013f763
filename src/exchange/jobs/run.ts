import { auditedService } from '../../accounts/audit-log.ts';
import type { Service } from '../../app/service.ts';
import { importCsv } from '../import-csv.ts';
import { importFacts } from '../moved/run.ts';
import type { ImportRow } from '../queries/imports.ts';
import { createSourceClient, type SourceClient } from '../sources/client.ts';
import type { Source } from '../sources/contract.ts';
import { SOURCES } from '../sources/index.ts';
import {
  actorFrom,
  countsOfCsv,
  countsOfFacts,
  problemsOfCsv,
  problemsOfFacts,
  type StoredCounts,
  type StoredProblems,
} from './resources.ts';
import { type CsvSettings, PROBLEMS_KEPT_MAX, type SourceSettings } from './schemas.ts';
import { readParts } from './upload.ts';

/** The progress of a run, which is stored from time to time. */
export interface Progress {
  counts: StoredCounts;
  problems: StoredProblems;
}

export interface RunOptions {
  signal: AbortSignal;
  /** Called for every row. `read` returns the progress at that moment. */
  onProgress(read: () => Progress): void;
  /** Called for every answer of the service, which may contain no row. */
  onAnswer(): void;
}

/**
 * Runs an import from its beginning: what an earlier attempt has stored stays unchanged. Units of work are
 * short, so that other work gets its turn, and the audit log names who created the import.
 *
 * @throws ServiceError when the file or the service cannot be read; `UNAVAILABLE` for a temporary failure; the signal's
 *   reason
 */
export async function runImport(service: Service, row: ImportRow, options: RunOptions): Promise<Progress> {
  const { accountId } = row;
  const audited = auditedService(service, { accountId, actor: actorFrom(row), action: 'account.import' });
  const source = SOURCES.find(({ name }) => name === row.source);
  return source === undefined ? runCsv(audited, row, options) : runSource(audited, row, source, options);
}

async function runCsv(
  service: Service,
  { id, accountId, settings, fileBytes, dryRun }: ImportRow,
  { signal, onProgress }: RunOptions,
): Promise<Progress> {
  const { kind, columns, programId, from } = JSON.parse(settings) as CsvSettings;
  let readBytes = 0;
  const file = readParts(service.database, id, (bytes) => {
    readBytes = bytes;
  });
  const imported = await importCsv(
    { service, accountId, programId, origin: from },
    {
      file,
      kind,
      columns: new Map(Object.entries(columns)),
      isDryRun: dryRun === 1,
      reportPath: null,
      problemsMax: PROBLEMS_KEPT_MAX,
      signal,
      onRow: (soFar) =>
        onProgress(() => ({ counts: countsOfCsv(soFar, readBytes / fileBytes), problems: problemsOfCsv(soFar) })),
    },
  );
  return { counts: countsOfCsv(imported, 1), problems: problemsOfCsv(imported) };
}

async function runSource(
  service: Service,
  { accountId, settings, sealedSecrets, dryRun }: ImportRow,
  source: Source,
  { signal, onProgress, onAnswer }: RunOptions,
): Promise<Progress> {
  const { programId, linkUrl, apiUrl } = JSON.parse(settings) as Omit<SourceSettings, 'credentials'>;
  const sealed = sealedSecrets === null ? '{}' : service.sealer.open(sealedSecrets);
  const credentials = JSON.parse(sealed) as SourceSettings['credentials'];
  const sourceClient = createSourceClient({
    title: source.title,
    apiUrl: apiUrl ?? source.apiUrl,
    headers: source.headersFor(credentials),
    limit: source.limit,
    signal,
  });
  const client: SourceClient = {
    async get(path, query) {
      const answer = await sourceClient.get(path, query);
      onAnswer();
      return answer;
    },
  };
  const imported = await importFacts(
    { service, accountId, source: { name: source.name, title: source.title }, partnersBy: 'source id', programId },
    source.read(client, { credentials, linkUrl }),
    {
      isDryRun: dryRun === 1,
      reportPath: null,
      problemsMax: PROBLEMS_KEPT_MAX,
      signal,
      onItem: (soFar) => onProgress(() => ({ counts: countsOfFacts(soFar), problems: problemsOfFacts(soFar) })),
    },
  );
  return { counts: countsOfFacts(imported), problems: problemsOfFacts(imported) };
}
