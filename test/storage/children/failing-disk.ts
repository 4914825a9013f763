/** node failing-disk.ts <url> <writes>: prints the result of each write, and then of a read, for strace. */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/open.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';

const [url = '', writes] = process.argv.slice(2);
const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
const database = await openDatabase(url, { sqlite: { writeLock } });
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'stored',
    ({ code }) => code,
  );
const told: string[] = [];
for (let n = 0; n < Number(writes); n += 1) {
  const write = database.write((tx) =>
    tx.run("INSERT INTO accounts (id, name, created_at) VALUES (@id, 'Acme', 0)", { id: `acc_${n}` }),
  );
  told.push(await outcomeOf(write));
}
told.push(await outcomeOf(database.read((tx) => tx.get('SELECT id FROM accounts'))));
told.push((await database.durability()).synchronous);
writeSync(1, `told ${told.join(' ')}`);
await database.close();
