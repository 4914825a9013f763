import { createReadStream, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import Database from 'better-sqlite3';
import type { Dataset } from './dataset.ts';
import { availableMemory } from './process-io.ts';
import { type CustomerPool, everybody } from './requests.ts';

/** A file up to this share of the available memory is read completely. */
const MEMORY_SHARE = 0.6;
/** For a larger file, only this many of the newest customers write; their rows fit into memory. */
const HOT_CUSTOMERS = 50_000;
/** More than all rounds fill. */
const FREE_PAGES = 200_000;
/**
 * Tables that each write adds rows to, in order of time, while their indexes grow at arbitrary places. A table without
 * rowids is an index itself.
 */
const WRITTEN_TABLES = [
  'customers',
  'leads',
  'identities',
  'sales',
  'deliveries',
  'payments',
  'payment_references',
  'ledger_entries',
  'open_entries',
  'payouts',
  'ledger_days',
  'result_days',
];

/**
 * Reads what writes will touch into the system's memory.
 *
 * @returns the customers that may write now: everybody, when the whole file fits
 */
export async function warm(dataset: Dataset): Promise<CustomerPool> {
  const { path, customers } = dataset;
  if (path === null) return everybody(dataset);
  if (statSync(path).size < availableMemory() * MEMORY_SHARE) {
    for await (const _chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }));
    return everybody(dataset);
  }
  const pool = { first: Math.max(0, customers - HOT_CUSTOMERS), count: Math.min(customers, HOT_CUSTOMERS) };
  const database = new Database(path, { readonly: true });
  try {
    readIndexes(database);
    readCustomers(database, dataset, pool);
  } finally {
    database.close();
  }
  await readFreePages(path);
  return pool;
}

/** Reads every index of the tables that grow with each write, from end to end. */
function readIndexes(database: Database.Database): void {
  const trees = database
    .prepare<[], { table: string; how: string; sql: string | null }>(
      `SELECT tbl_name AS "table", CASE type WHEN 'index' THEN 'INDEXED BY ' || name ELSE 'NOT INDEXED' END AS how, sql
       FROM sqlite_schema WHERE type = 'index' OR (type = 'table' AND sql LIKE '%WITHOUT ROWID%')`,
    )
    .all();
  for (const { table, how, sql } of trees.filter((tree) => WRITTEN_TABLES.includes(tree.table))) {
    const [, rowsOfPartialIndex = ''] = /^CREATE (?:UNIQUE )?INDEX .*(WHERE .*)$/s.exec(sql ?? '') ?? [];
    database.prepare(`SELECT COUNT(*) FROM ${table} ${how} ${rowsOfPartialIndex}`).get();
  }
}

/**
 * Reads the free pages that new rows will go to. An upgrade leaves them all over the file, and the system cannot write half a
 * page of its own without having read it.
 */
async function readFreePages(path: string): Promise<void> {
  const file = await open(path);
  try {
    const header = await bytesAt(file, 0, 100);
    const pageBytes = header.readUInt16BE(16);
    let read = 0;
    // the pages of the list, each of which starts with the next one's number and with the number of free pages in it
    let trunk = header.readUInt32BE(32);
    while (trunk !== 0 && read < FREE_PAGES) {
      const page = await bytesAt(file, (trunk - 1) * pageBytes, pageBytes);
      const count = page.readUInt32BE(4);
      for (let place = 0; place < count; place++) {
        await bytesAt(file, (page.readUInt32BE(8 + 4 * place) - 1) * pageBytes, pageBytes);
      }
      read += count;
      trunk = page.readUInt32BE(0);
    }
  } finally {
    await file.close();
  }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, position);
  return bytes;
}

/** Reads the rows by which a delivery finds its customer. */
function readCustomers(database: Database.Database, { names }: Dataset, { first, count }: CustomerPool): void {
  const byExternalId = database.prepare(
    `SELECT c.*, k.* FROM customers c JOIN clicks k ON k.id = c.click_id
     WHERE c.account_id = (SELECT id FROM accounts) AND c.external_id = ?`,
  );
  const identity = database.prepare(
    `SELECT * FROM identities
     WHERE account_id = (SELECT id FROM accounts) AND processor = 'stripe' AND kind = 'customer' AND value = ?`,
  );
  for (let customer = first; customer < first + count; customer++) {
    byExternalId.get(names.externalId(customer));
    identity.get(names.processorCustomer(customer));
  }
}
