import { fileReply } from '../../app/file-reply.ts';
import { noteChange } from '../../app/noted-changes.ts';
import { type Page, pageOf } from '../../app/page.ts';
import type { RawReply } from '../../app/route.ts';
import type { Service } from '../../app/service.ts';
import type { AuditedActor } from '../../core/actor.ts';
import type { AccountId } from '../../core/ids.ts';
import { DAY_MS, isoDate, isoTime } from '../../core/time.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { createId } from '../../ids.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  countDownload,
  type ExportRow,
  findExport,
  findExports,
  insertExport,
  noteDownloaded,
} from '../queries/exports.ts';
import { exportResource, storedActor } from './resources.ts';
import type { ExportResource } from './schemas.ts';

const VALID_MS = DAY_MS;

/** The accounts that this process is exporting. */
function createUnderWay(): Set<AccountId> {
  return new Set();
}

/**
 * Allows the export of an account for a day. Its file is created during the download, so that no file with everything
 * about everybody is stored anywhere, and every process can answer it.
 */
export async function createExport(
  { database, clock }: Service,
  { accountId, actor }: { accountId: AccountId; actor: AuditedActor },
): Promise<ExportResource> {
  const now = clock();
  const row: ExportRow = {
    id: createId('exp'),
    accountId,
    ...storedActor(actor),
    createdAt: now,
    expiresAt: now + VALID_MS,
    downloadCount: 0,
    downloadedAt: null,
    rowCount: null,
  };
  await database.write(async (tx) => {
    await insertExport(tx, row);
    noteChange(tx, { resourceId: row.id, after: { expiresAt: isoTime(row.expiresAt) } });
  });
  return exportResource(row, now);
}

/** One page of the account's exports, the newest first. */
export function listExports(
  { database, clock }: Service,
  accountId: AccountId,
  query: { limit: number; cursor: string },
): Promise<Page<ExportResource>> {
  const asResource = (row: ExportRow) => exportResource(row, clock());
  return database.read((tx) => pageOf(query, (bounds) => findExports(tx, accountId, bounds), asResource));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getExport(
  { database, clock }: Service,
  accountId: AccountId,
  id: string,
): Promise<ExportResource> {
  return exportResource(await database.read((tx) => requireExport(tx, accountId, id)), clock());
}

/**
 * Everything of the account at this moment, as a zip; only the headers for HEAD.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when it has expired; `CONFLICT` while this process answers another
 *   download of the account
 */
export async function downloadExport(
  service: Service,
  accountId: AccountId,
  { id, programVersion, method }: { id: string; programVersion: string; method: string },
): Promise<RawReply> {
  const { database, clock } = service;
  const row = await database.read((tx) => requireExport(tx, accountId, id));
  if (row.expiresAt <= clock()) {
    const remedy = 'make another one (in the API: POST /api/exports)';
    throw new ServiceError('INVALID_STATE', `The export ${id} has expired: ${remedy}`);
  }
  const fileName = `refbridge-${isoDate(clock())}.zip`;
  if (method === 'HEAD') return fileReply('application/zip', fileName);
  const underWay = service.state(createUnderWay);
  if (underWay.has(accountId)) {
    throw new ServiceError('CONFLICT', 'Another download of this account is under way: wait until it ends');
  }
  const onEnd = async (rows: number) => {
    await database.write((tx) => noteDownloaded(tx, row.id, rows, clock()));
  };
  // before anything is awaited, so that the second of two simultaneous downloads is refused
  underWay.add(accountId);
  try {
    await database.write(async (tx) => {
      await countDownload(tx, row.id);
      noteChange(tx, { resourceId: row.id });
    });
    // loaded only now, because it needs memory that a server without downloads can save
    const { zipOfAccount } = await import('../export-zip.ts');
    const content = whileUnderWay(underWay, accountId, zipOfAccount(service, accountId, { programVersion, onEnd }));
    // started here, so that it also ends when nobody reads it
    await content.next();
    return fileReply('application/zip', fileName, content);
  } catch (error) {
    underWay.delete(accountId);
    throw error;
  }
}

async function* whileUnderWay(underWay: Set<AccountId>, accountId: AccountId, chunks: AsyncIterable<Uint8Array>) {
  try {
    yield new Uint8Array();
    yield* chunks;
  } finally {
    underWay.delete(accountId);
  }
}

async function requireExport(tx: Transaction, accountId: AccountId, id: string): Promise<ExportRow> {
  const row = await findExport(tx, accountId, id);
  if (row === undefined) throw notFound('export', id);
  return row;
}
