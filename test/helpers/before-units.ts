import { createService, type Service } from '../../src/app/service.ts';
import type { Database } from '../../src/storage/database.ts';

/** The service, which does this before each unit of work: after whatever it has read for the unit. */
export function beforeUnits(service: Service, work: () => Promise<unknown>): Service {
  const { database } = service;
  const write: Database['write'] = async (unit, options) => {
    await work();
    return database.write(unit, options);
  };
  return createService({ ...service, database: { ...database, write } });
}
