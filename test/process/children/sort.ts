// Sorts more than fits into memory in the SQLite database at the given path, and prints which files are open meanwhile.
import { readdirSync, readlinkSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { pino } from 'pino';
import { preparePrivateFiles } from '../../../src/process/private-files.ts';

const [, , path = ''] = process.argv;
preparePrivateFiles(path, pino({ level: 'silent' }));
const database = new BetterSqlite3(path);
const sorted = database.prepare(
  `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 100000)
   SELECT randomblob(200) AS bytes FROM numbers ORDER BY bytes`,
);
for (const _first of sorted.iterate()) {
  for (const descriptor of readdirSync('/proc/self/fd')) {
    try {
      process.stdout.write(`${readlinkSync(`/proc/self/fd/${descriptor}`)}\n`);
    } catch {
      // the folder itself was open while it was read
    }
  }
  break;
}
database.close();
