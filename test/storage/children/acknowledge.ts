/** node acknowledge.ts <url> <rounds>: prints a mark whenever something is known to be stored, for strace. */
import { writeSync } from 'node:fs';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openDatabase } from '../../../src/storage/open.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';

const [url = '', rounds] = process.argv.slice(2);
const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
const database = await openDatabase(url, { sqlite: { writeLock } });
const INSERT = "INSERT INTO accounts (id, name, created_at) VALUES (@id, 'Acme', 0)";
const isThere = (id: string) => database.read((tx) => tx.get('SELECT id FROM accounts WHERE id = @id', { id }));
for (let round = 0; round < Number(rounds); round += 1) {
  const written = ['a', 'b', 'c'].map(async (name) => {
    await database.write((tx) => tx.run(INSERT, { id: `acc_${round}_${name}` }));
    writeSync(1, 'acknowledged\n');
  });
  while ((await isThere(`acc_${round}_a`)) === undefined) await yieldToEventLoop();
  writeSync(1, 'seen\n');
  await Promise.all(written);
}
await database.close();
