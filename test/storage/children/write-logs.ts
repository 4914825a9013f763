/**
 * node write-logs.ts <url> <mebibytes>: fills the log of a server repeatedly, and prints which thread does it, for
 * strace.
 */
import { randomBytes } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/open.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';

const [url = '', mebibytes] = process.argv.slice(2);
const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
const onProblem = (problem: string) => writeSync(1, `PROBLEM ${problem}\n`);
const database = await openDatabase(url, { sqlite: { writeLock, reportThread: { onProblem } } });
await database.write((tx) => tx.run('CREATE TABLE things (key INTEGER PRIMARY KEY, body BYTEA)'));
writeSync(1, `writes begin in ${process.pid}\n`);
for (let n = 0; n < 2 * Number(mebibytes); n += 1) {
  const body = randomBytes(512 * 1_024);
  await database.write((tx) =>
    tx.run('INSERT INTO things VALUES (1, @body) ON CONFLICT (key) DO UPDATE SET body = excluded.body', { body }),
  );
}
writeSync(1, 'writes end\n');
await database.close();
