import { type AuditedActor, actorKind, actorName } from '../../core/actor.ts';
import { isoTime, isoTimeOrNull } from '../../core/time.ts';
import { excerpt } from '../../errors.ts';
import type { CsvKind } from '../csv-fields.ts';
import type { CsvImport } from '../import-csv.ts';
import { MOVED_KINDS } from '../moved/facts.ts';
import type { FactsImport } from '../moved/run.ts';
import type { ExportRow } from '../queries/exports.ts';
import type { ImportRow } from '../queries/imports.ts';
import type { ExportResource, ImportDetail, ImportResource } from './schemas.ts';

/** The stored progress of a run, as JSON: how far it is, and what it has counted. */
export interface StoredCounts {
  progress: ImportResource['progress'];
  counts: ImportResource['counts'];
  byKind: ImportResource['byKind'];
  ignoredColumns: string[];
}

export type StoredProblems = Pick<ImportDetail, 'refusedRows' | 'leftOutRows'>;

const NO_COUNTS: StoredCounts = { progress: null, counts: null, byKind: [], ignoredColumns: [] };
const NO_PROBLEMS: StoredProblems = { refusedRows: [], leftOutRows: [] };
/** Begins where a word does: a cell has up to a million characters, and each would else be a beginning. */
const EMAIL = /(?<![^\s@"'<>(),;:])([^\s@"'<>(),;:])[^\s@"'<>(),;:]*@/g;
/** A reason may quote a cell, and an import keeps hundreds of reasons. */
const REASON_CHARACTERS_MAX = 500;

/** An import as it is answered: without settings, which may name persons, and without secrets. */
export function importResource(row: ImportRow): ImportResource {
  const { kind = null } = JSON.parse(row.settings) as { kind?: CsvKind };
  const stored = row.counts === null ? NO_COUNTS : (JSON.parse(row.counts) as StoredCounts);
  return {
    id: row.id,
    source: row.source,
    kind,
    dryRun: row.dryRun === 1,
    status: row.status,
    file: row.fileBytes === 0 ? null : { bytes: row.fileBytes, receivedBytes: row.receivedBytes },
    ...stored,
    error: row.error,
    attempts: row.attempts,
    createdBy: { id: row.actorId, name: row.actorName },
    createdAt: isoTime(row.createdAt),
    startedAt: isoTimeOrNull(row.startedAt),
    endedAt: isoTimeOrNull(row.endedAt),
  };
}

/** The settings that remain when an import ends: headings, addresses and names of services are removed. */
export function settingsOfEnded(settings: string): string {
  const { kind } = JSON.parse(settings) as { kind?: CsvKind };
  return JSON.stringify({ kind });
}

export function importDetail(row: ImportRow): ImportDetail {
  return {
    ...importResource(row),
    ...(row.problems === null ? NO_PROBLEMS : (JSON.parse(row.problems) as StoredProblems)),
  };
}

/** What is stored about a CSV import; `share`: how much of its file was read. */
export function countsOfCsv(soFar: CsvImport, share: number): StoredCounts {
  const { kind, rows, created, changed, unchanged, refused, leftOut, ignoredColumns } = soFar;
  const counted = { created, changed, unchanged, refused };
  return {
    progress: { rows, share: Math.min(1, share) },
    counts: { ...counted, leftOut },
    byKind: [{ kind, ...counted }],
    ignoredColumns,
  };
}

export function countsOfFacts(soFar: FactsImport): StoredCounts {
  const { items, created, changed, unchanged, refused, leftOut, byKind } = soFar;
  return {
    progress: { rows: items, share: null },
    counts: { created, changed, unchanged, refused, leftOut },
    byKind: MOVED_KINDS.map((kind) => ({ kind, ...byKind[kind] })).filter(
      (of) => of.created + of.changed + of.unchanged + of.refused > 0,
    ),
    ignoredColumns: [],
  };
}

/** By line, because the key of a row is often an e-mail address. */
export function problemsOfCsv({ kind, problems, leftOutRows }: CsvImport): StoredProblems {
  const rowsOf = (rows: CsvImport['problems']) =>
    rows.map(({ line, reason }) => ({ line, kind, id: null, reason: withoutEmails(reason) }));
  return { refusedRows: rowsOf(problems), leftOutRows: rowsOf(leftOutRows) };
}

export function problemsOfFacts({ problems }: FactsImport): StoredProblems {
  const of = (wanted: FactsImport['problems'][number]['result']) =>
    problems
      .filter(({ result }) => result === wanted)
      .map(({ kind, id, reason }) => {
        return { line: null, kind, id: id === '' ? null : withoutEmails(id), reason: withoutEmails(reason) };
      });
  return { refusedRows: of('refused'), leftOutRows: of('left out') };
}

/** `ana@example.com` → `a…@example.com`, anywhere in a text, of which the start is kept. */
function withoutEmails(text: string): string {
  // cut first, because each poll masks up to a hundred long reasons; an address that the cut splits is not kept anyway
  return excerpt(excerpt(text, 10 * REASON_CHARACTERS_MAX).replaceAll(EMAIL, '$1…@'), REASON_CHARACTERS_MAX);
}

export function exportResource(row: ExportRow, now: number): ExportResource {
  return {
    id: row.id,
    status: row.expiresAt > now ? 'ready' : 'expired',
    expiresAt: isoTime(row.expiresAt),
    downloads: row.downloadCount,
    downloadedAt: isoTimeOrNull(row.downloadedAt),
    rows: row.rowCount,
    createdBy: { id: row.actorId, name: row.actorName },
    createdAt: isoTime(row.createdAt),
  };
}

/** The actor that is stored with an import or export. */
export function storedActor(actor: AuditedActor): { actorId: string; actorName: string } {
  return { actorId: actorName(actor), actorName: actor.name };
}

/** The actor that `storedActor` stored. */
export function actorFrom({ actorId, actorName: name }: { actorId: string; actorName: string }): AuditedActor {
  // only what `actorName` gives is stored
  return { kind: actorKind(actorId), id: actorId, name } as AuditedActor;
}
