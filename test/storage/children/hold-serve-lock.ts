/** node --expose-gc hold-serve-lock.ts <database path>: acquires the lock, prints so, and holds it until killed. */
import { writeSync } from 'node:fs';
import { acquireServeLock } from '../../../src/storage/sqlite/lock.ts';

acquireServeLock(process.argv[2] ?? '');
globalThis.gc?.();
writeSync(1, 'held\n');
setInterval(() => {}, 60_000);
