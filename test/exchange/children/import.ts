/**
 * node import.ts <database url> <folder> <table>: imports an export until rows of the table are stored, prints that,
 * and waits.
 */

import { writeSync } from 'node:fs';
import { importAccount } from '../../../src/exchange/import-account.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestService } from '../../helpers/service.ts';

const [url = '', folder = '', until] = process.argv.slice(2);
const database = await openDatabase(url);
await importAccount(createTestService({ database }), {
  folder,
  isDryRun: false,
  sourceSealer: null,
  onProgress(doing, table) {
    if (doing !== 'imported' || table !== until) return;
    writeSync(1, `imported ${table}\n`);
    // blocks the thread itself, so that the transaction stays open at this point
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
await database.close();
