/** Opens the database at the given URL with every migration; prints how many milliseconds that took. */
import { openDatabase } from '../../../../src/storage/open.ts';

const startedAt = performance.now();
const database = await openDatabase(process.argv[2] ?? '');
await database.close();
process.stdout.write(`${performance.now() - startedAt}\n`);
