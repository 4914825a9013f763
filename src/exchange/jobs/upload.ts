import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { claimKeys } from '../../app/claims.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId, ImportId } from '../../core/ids.ts';
import { ServiceError, validationError } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { deleteParts, findPart, noteReceived, putPart, sumParts } from '../queries/import-parts.ts';
import type { ImportRow } from '../queries/imports.ts';
import { requireImport } from './require-import.ts';
import { importDetail } from './resources.ts';
import type { ImportDetail } from './schemas.ts';

const PARTS_PER_UNIT = 4;
/** Empty rows in one piece are skipped at once: thousands of them, in milliseconds. */
const PIECE_BYTES = 16 * 1024;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Stores a part of an import's file. A client may send it again after a lost answer, until the import has ended. The
 * part that completes the file starts the import.
 *
 * Files are stored in the database and not beside it, so that any process can run the import. Each part has its own
 * request, so that no request takes long.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when the file has already arrived with other bytes in this part, or
 *   the import has no file or has ended; `VALIDATION_ERROR` for an empty part, more bytes than announced, or a missing
 *   part
 */
export async function receivePart(
  { database, clock }: Service,
  accountId: AccountId,
  { id, number, bytes }: UploadedPart,
): Promise<ImportDetail> {
  const { status } = await database.read((tx) => requireImport(tx, accountId, id));
  if (status !== 'uploading') return requireReceived(database, accountId, { id, number, bytes });
  if (bytes.length === 0) throw validationError([{ path: '', message: 'The body is empty: send bytes of the file' }]);
  const content = await compress(bytes);
  const received = await database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.imports(accountId)]);
      const row = await requireImport(tx, accountId, id);
      if (row.status !== 'uploading') return null;
      await putPart(tx, { importId: row.id, number, bytes: bytes.length, content });
      await noteReceived(tx, { id: row.id, ...stateOf(row, await sumParts(tx, row.id)), now: clock() });
      return importDetail(await requireImport(tx, accountId, id));
    },
    { alone: true },
  );
  return received ?? requireReceived(database, accountId, { id, number, bytes });
}

interface UploadedPart {
  id: string;
  number: number;
  bytes: Buffer;
}

/** For a part of a file that is no longer uploaded. @throws ServiceError `INVALID_STATE` unless it has arrived before */
async function requireReceived(
  database: Pick<Database, 'read'>,
  accountId: AccountId,
  { id, number, bytes }: UploadedPart,
): Promise<ImportDetail> {
  const { row, part } = await database.read(async (tx) => {
    const found = await requireImport(tx, accountId, id);
    return { row: found, part: await findPart(tx, found.id, number) };
  });
  // an ended import no longer needs its parts, which are deleted one after the other
  const isUnderWay = row.endedAt === null;
  if (isUnderWay && part !== undefined && bytes.equals(await decompress(part.content))) return importDetail(row);
  const why =
    row.fileBytes === 0 ? 'reads an API and takes no file' : `is ${row.status} and takes no more parts of its file`;
  throw new ServiceError('INVALID_STATE', `The import ${id} ${why}`);
}

function stateOf(
  { fileBytes }: ImportRow,
  { bytes, count, last }: { bytes: number; count: number; last: number },
): { receivedBytes: number; status: 'uploading' | 'waiting' } {
  if (bytes > fileBytes) {
    const message = `The parts have ${bytes} bytes, but the import was made for a file of ${fileBytes}: make another one`;
    throw validationError([{ path: '', message }]);
  }
  if (bytes === fileBytes && count !== last) {
    throw validationError([{ path: 'part', message: 'leaves a gap: number the parts 1, 2, 3 and so on' }]);
  }
  return { receivedBytes: bytes, status: bytes === fileBytes ? 'waiting' : 'uploading' };
}

/** The file of an import in pieces, between which requests are answered. `onRead` receives the number of bytes so far. */
export async function* readParts(
  database: Pick<Database, 'read'>,
  importId: ImportId,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let total = 0;
  for (let number = 1; ; number += 1) {
    const part = await database.read((tx) => findPart(tx, importId, number));
    if (part === undefined) return;
    const bytes = await decompress(part.content);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      const piece = bytes.subarray(start, start + PIECE_BYTES);
      yield piece;
      total += piece.length;
      onRead(total);
      await yieldToEventLoop();
    }
  }
}

/** Deletes the file of an import that has ended, in slices, because many bytes take time. */
export async function deleteFile({ write }: Pick<Database, 'write'>, importId: ImportId): Promise<void> {
  while ((await write((tx) => deleteParts(tx, importId, PARTS_PER_UNIT), { alone: true })) > 0);
}
