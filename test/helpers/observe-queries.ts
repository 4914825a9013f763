import { createService, type Service } from '../../src/app/service.ts';
import type { Transaction } from '../../src/storage/database.ts';

const QUERIES: ReadonlySet<string | symbol> = new Set(['get', 'all', 'run']);

/** A service that also passes each query of its units and reads to `note`, with the result. */
export function observeQueries(service: Service, note: (sql: string, result: unknown) => void): Service {
  const { database } = service;
  const observed = (tx: Transaction) =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const method = target[name] as (...parameters: unknown[]) => unknown;
        if (!QUERIES.has(name)) return method.bind(target);
        return async (...parameters: unknown[]) => {
          const result = await method.apply(target, parameters);
          note(String(parameters[0]), result);
          return result;
        };
      },
    });
  return createService({
    ...service,
    database: {
      ...database,
      write: (unit, options) => database.write((tx) => unit(observed(tx)), options),
      read: (unit) => database.read((tx) => unit(observed(tx))),
      report: (unit, options) => database.report((tx) => unit(observed(tx)), options),
    },
  });
}
