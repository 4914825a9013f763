import type { Transaction } from '../storage/database.ts';
import type { Service } from './service.ts';

/** A service whose units of work all run in `tx`, so that several use cases are stored together or not at all. */
export function insideUnit(service: Service, tx: Transaction): Service {
  const run: Service['database']['read'] = (unit) => unit(tx);
  return Object.freeze({ ...service, database: { ...service.database, write: run, read: run, report: run } });
}
