import { requireAllowedApi } from '../../app/allowed-address.ts';
import { claimKeys } from '../../app/claims.ts';
import { noteChange } from '../../app/noted-changes.ts';
import { type Page, pageOf } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import type { AuditedActor } from '../../core/actor.ts';
import type { AccountId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import { createId } from '../../ids.ts';
import { getProgram } from '../../programs/programs.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  deleteProblems,
  endImport,
  findCanceledRun,
  findImports,
  findImportUnderWay,
  type ImportRow,
  insertImport,
} from '../queries/imports.ts';
import { requireImport } from './require-import.ts';
import { importDetail, importResource, settingsOfEnded, storedActor } from './resources.ts';
import type { ImportDetail, ImportInput, ImportResource, SourceSettings } from './schemas.ts';
import { deleteFile } from './upload.ts';

/** A canceled run notices within a second, and then finishes its row. */
const CANCELED_RUN_MS_MAX = 3_000;

/**
 * Adds an import. A server process starts it: at once when the source has an API, otherwise when its file has arrived.
 * Credentials are sealed until it ends.
 *
 * @throws ServiceError `CONFLICT` while another import of the account is under way; `VALIDATION_ERROR`; `NOT_FOUND` for
 *   the program
 */
export async function createImport(
  service: Service,
  { accountId, actor }: { accountId: AccountId; actor: AuditedActor },
  input: ImportInput,
): Promise<ImportDetail> {
  const { database, clock } = service;
  const { programId } = input.settings;
  if (programId !== null) await getProgram(service, accountId, programId);
  const now = clock();
  const { fileBytes, ...parts } = partsOf(service, input);
  const row: ImportRow = {
    id: createId('imp'),
    accountId,
    source: input.source,
    ...parts,
    dryRun: input.dryRun ? 1 : 0,
    status: fileBytes === 0 ? 'waiting' : 'uploading',
    fileBytes,
    receivedBytes: 0,
    counts: null,
    problems: null,
    error: null,
    ...storedActor(actor),
    attempts: 0,
    createdAt: now,
    changedAt: now,
    dueAt: now,
    startedAt: null,
    endedAt: null,
  };
  await database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.imports(accountId)]);
      await requireNoneUnderWay(tx, accountId);
      await insertImport(tx, row);
      const { source, kind, dryRun } = importResource(row);
      noteChange(tx, { resourceId: row.id, after: { source, kind, dryRun } });
    },
    { alone: true },
  );
  return importDetail(row);
}

/** The part that is stored in clear text, and the part that is sealed. */
function partsOf(service: Service, input: ImportInput): Pick<ImportRow, 'settings' | 'sealedSecrets' | 'fileBytes'> {
  if (!isOfService(input)) {
    return { settings: JSON.stringify(input.settings), sealedSecrets: null, fileBytes: input.settings.fileBytes };
  }
  const { credentials, ...settings } = input.settings;
  requireAllowedApi(service, settings.apiUrl, 'settings.apiUrl');
  return {
    settings: JSON.stringify(settings),
    sealedSecrets: service.sealer.seal(JSON.stringify(credentials)),
    fileBytes: 0,
  };
}

function isOfService(input: ImportInput): input is Extract<ImportInput, { settings: SourceSettings }> {
  return input.source !== 'csv';
}

async function requireNoneUnderWay(tx: Transaction, accountId: AccountId): Promise<void> {
  const other = await findImportUnderWay(tx, accountId);
  if (other === undefined) return;
  throw new ServiceError(
    'CONFLICT',
    `The import ${other.id} is under way (${other.status}): wait until it ends, or cancel it ` +
      `(in the API: POST /api/imports/${other.id}/cancel)`,
  );
}

/** One page of the account's imports, the newest first. */
export function listImports(
  { database }: Service,
  accountId: AccountId,
  query: { limit: number; cursor: string },
): Promise<Page<ImportResource>> {
  return database.read((tx) => pageOf(query, (bounds) => findImports(tx, accountId, bounds), importResource));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getImport({ database }: Service, accountId: AccountId, id: string): Promise<ImportDetail> {
  return importDetail(await database.read((tx) => requireImport(tx, accountId, id)));
}

/**
 * Ends an import within a second. What it has stored stays; the same import can be run again and continues there.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when it has ended
 */
export async function cancelImport(
  { database, clock }: Service,
  accountId: AccountId,
  id: string,
): Promise<ImportDetail> {
  const canceled = await database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.imports(accountId)]);
      const { id: importId, status, settings } = await requireImport(tx, accountId, id);
      const end = { status: 'canceled', error: null, settings: settingsOfEnded(settings), now: clock() } as const;
      if ((await endImport(tx, { id: importId, ...end })) === 0) {
        throw new ServiceError('INVALID_STATE', `The import ${id} has ended (${status}): there is nothing to cancel`);
      }
      noteChange(tx, { resourceId: importId, before: { status }, after: { status: 'canceled' } });
      return requireImport(tx, accountId, id);
    },
    { alone: true },
  );
  await deleteFile(database, canceled.id);
  return importDetail(canceled);
}

/**
 * For the erasure of a person: the file of an import may name them, and would bring them back. Messages about rows of
 * earlier imports may also name them, and are deleted.
 *
 * @throws ServiceError `INVALID_STATE` while an import of the account is under way, or was canceled just now
 */
export async function eraseFromImports(tx: Transaction, accountId: AccountId, now: number): Promise<void> {
  await tx.claim(() => [claimKeys.imports(accountId)]);
  const other = await findImportUnderWay(tx, accountId);
  if (other !== undefined) {
    throw new ServiceError(
      'INVALID_STATE',
      `The import ${other.id} is under way (${other.status}), and may name this person: wait until it ends, or cancel it ` +
        `(in the API: POST /api/imports/${other.id}/cancel), then erase`,
    );
  }
  const canceled = await findCanceledRun(tx, accountId, now - CANCELED_RUN_MS_MAX);
  if (canceled !== undefined) {
    throw new ServiceError(
      'INVALID_STATE',
      `The import ${canceled.id} was canceled just now, and may still store a row: try again in a few seconds`,
      { retryAfterSeconds: CANCELED_RUN_MS_MAX / 1_000 },
    );
  }
  await deleteProblems(tx, accountId);
}
