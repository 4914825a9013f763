/** node migrate.ts <database url> <migrations folder url>: prints when it starts, and the resulting version. */
import { writeSync } from 'node:fs';
import { openDatabase } from '../../../src/storage/open.ts';

const [url = '', folder = ''] = process.argv.slice(2);
writeSync(1, 'begin\n');
const database = await openDatabase(url, { migrationsFolder: new URL(folder) });
writeSync(1, `version ${database.schemaVersion}\n`);
await database.close();
