import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ZipFile } from 'yazl';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { HOUR_MS } from '../core/time.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { beginManifest } from './begin-manifest.ts';
import { encodeRow, encodeRowInPieces } from './json-lines.ts';
import { MANIFEST_FILE, type Manifest, TABLES_FOLDER } from './manifest.ts';
import { pagesOf } from './pages.ts';
import { findPeopleCsv, headingsOf, linesOf, type PeopleCsv } from './people-csv.ts';
import type { StoredRow } from './queries/walk.ts';
import { type ExchangedTable, NOT_DOWNLOADED, TABLES } from './tables.ts';

/** Few, because a server answers other requests between two pages. */
const PAGE_ROWS = 100;
/** Large rows are sent in pieces of this size, so that other requests do not wait for the whole row. */
const PIECE_BYTES = 64 * 1024;
/** Produced but not taken yet. */
const WAITING_BYTES_MAX = 256 * 1024;
/** A database cannot remove old row versions while somebody reads them. */
const DURATION_MS_MAX = HOUR_MS;
const FILE = { mode: 0o100600 };

export interface ZipOptions {
  programVersion: string;
  /** Called with the number of rows when everything was taken. */
  onEnd(rows: number): Promise<void>;
}

/**
 * The same files as `exportAccount` writes, without anything that can sign somebody in, as a zip that is created while
 * it is downloaded: nothing of it is stored, and memory does not grow. All rows are from the moment of the first chunk.
 * A consumer may leave at any time; a truncated file has no directory and cannot be opened.
 *
 * @throws ServiceError `UNAVAILABLE` when it takes longer than an hour; whatever the database throws
 */
export async function* zipOfAccount(
  service: Pick<Service, 'database' | 'clock'>,
  accountId: AccountId,
  { programVersion, onEnd }: ZipOptions,
): AsyncGenerator<Uint8Array> {
  const output = new PassThrough({ highWaterMark: WAITING_BYTES_MAX });
  const deadline = setTimeout(() => output.destroy(tooSlow()), DURATION_MS_MAX).unref();
  let rows = 0;
  const writing = service.database
    .snapshot(async (tx) => {
      const manifest = await beginManifest(service, tx, accountId, programVersion);
      Object.assign(manifest.leftOut, NOT_DOWNLOADED);
      const entries: Readable[] = [];
      try {
        await pipeline(
          zipOf(tx, manifest, entries, (error) => output.destroy(error)),
          output,
        );
      } finally {
        // a consumer may have left in the middle of a query
        await Promise.all(entries.map(ended));
      }
      rows = manifest.rows;
    })
    .catch((error: unknown) => void output.destroy(error instanceof Error ? error : new Error(String(error))));
  try {
    yield* output as AsyncIterable<Buffer>;
    await writing;
    await onEnd(rows);
  } finally {
    clearTimeout(deadline);
    output.destroy();
    await writing;
  }
}

/** Adds its entries to `entries`. */
function zipOf(
  tx: Transaction,
  manifest: Manifest,
  entries: Readable[],
  onError: (error: Error) => void,
): NodeJS.ReadableStream {
  const zip = new ZipFile();
  // yazl reads a stream when the previous ones have ended, so a generator does not begin before its turn
  const add = (name: string, lines: AsyncIterable<string | Buffer>) => {
    // yazl does not listen, and an error that nobody listens to would end the process
    const entry = Readable.from(lines, { objectMode: false }).on('error', onError);
    entries.push(entry);
    zip.addReadStream(entry, name, FILE);
  };
  zip.on('error', onError);
  zip.addEmptyDirectory(TABLES_FOLDER, { mode: 0o40700 });
  for (const table of TABLES) {
    add(`${TABLES_FOLDER}/${table.name}.jsonl`, linesOfTable(tx, manifest, table));
    const people = findPeopleCsv(table.name);
    if (people !== undefined) add(people.file, linesOfPeople(tx, manifest, table, people));
  }
  add(MANIFEST_FILE, textOf(manifest));
  zip.end();
  return zip.outputStream;
}

/** Settles when no part of an entry is running any more. */
async function ended(entry: Readable): Promise<void> {
  if (entry.closed) return;
  const closed = new Promise((resolve) => entry.once('close', resolve));
  entry.on('error', () => {}).destroy();
  await closed;
}

/** Adds the table to the manifest when it ends. */
async function* linesOfTable(tx: Transaction, manifest: Manifest, table: ExchangedTable): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let [rows, bytes] = [0, 0];
  const pages = pagesOf(tx, manifest.account.id as AccountId, table, PAGE_ROWS);
  // a file even without rows, so that an import finds every table
  for await (const page of table.name in NOT_DOWNLOADED ? [] : pages) {
    // a webhook's body of 2 MiB takes several milliseconds to read, to encode and to convert to bytes
    if (table.largeColumn !== null) await yieldToEventLoop();
    rows += page.length;
    for (const text of textsOf(page.map((row) => withoutSecrets(table, row)))) {
      if (text.length > PIECE_BYTES) await yieldToEventLoop();
      const encoded = Buffer.from(text);
      bytes += encoded.length;
      // this thread hashes it, and yazl's checksum reads it again
      for (let start = 0; start < encoded.length; start += PIECE_BYTES) {
        const piece = encoded.subarray(start, start + PIECE_BYTES);
        hash.update(piece);
        yield piece;
        // a piece of a large row is a little shorter
        if (encoded.length > PIECE_BYTES / 2) await yieldToEventLoop();
      }
    }
  }
  manifest.rows += rows;
  manifest.tables.push({ name: table.name, rows, bytes, sha256: hash.digest('hex') });
}

/** A large row has a page by itself. */
function textsOf(page: readonly StoredRow[]): Iterable<string> {
  const [row] = page;
  return page.length === 1 && row ? encodeRowInPieces(row) : [page.map(encodeRow).join('')];
}

function withoutSecrets({ name }: ExchangedTable, row: StoredRow): StoredRow {
  const secrets = Object.keys(row).filter((column) => `${name}.${column}` in NOT_DOWNLOADED);
  return secrets.length === 0 ? row : { ...row, ...Object.fromEntries(secrets.map((column) => [column, null])) };
}

async function* linesOfPeople(
  tx: Transaction,
  manifest: Manifest,
  table: ExchangedTable,
  people: PeopleCsv,
): AsyncGenerator<string> {
  let rows = 0;
  yield headingsOf(people);
  for await (const page of pagesOf(tx, manifest.account.id as AccountId, table, PAGE_ROWS)) {
    const lines = linesOf(people, page);
    rows += lines.length;
    if (lines.length > 0) yield lines.join('');
  }
  manifest.csv.push({ file: people.file, rows });
}

/** Read last, when the manifest is complete. */
async function* textOf(manifest: Manifest): AsyncGenerator<string> {
  yield `${JSON.stringify(manifest, null, 2)}\n`;
}

function tooSlow(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The download took longer than an hour: use a faster connection', {
    retryAfterSeconds: 60,
  });
}
