/** node write-batches.ts <url> <batches> <units per batch>: prints when the batches start and end, for strace. */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/open.ts';

const [url = '', batches, unitsPerBatch] = process.argv.slice(2);
const database = await openDatabase(url);
writeSync(1, 'batches begin\n');
for (let batch = 0; batch < Number(batches); batch += 1) {
  await Promise.all(
    Array.from({ length: Number(unitsPerBatch) }, (_, unit) =>
      database.write((tx) =>
        tx.run("INSERT INTO accounts (id, name, created_at) VALUES (@id, 'Acme', 0)", { id: `acc_${batch}_${unit}` }),
      ),
    ),
  );
}
writeSync(1, 'batches end\n');
await database.close();
