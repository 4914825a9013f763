import { createService, type Service } from '../../src/app/service.ts';
import type { Transaction, Unit } from '../../src/storage/database.ts';

/** The service, and how many deliveries its reports have read so far: each reads its whole range, up to its limit. */
export function countingRead(service: Service): { service: Service; read: () => number } {
  const { database } = service;
  let count = 0;
  const counting = (tx: Transaction) =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => async (sql: string, parameters: Record<string, string | number>) => {
        if ('beforeId' in parameters) count += (await target.get<{ count: number }>(IN_RANGE, parameters))?.count ?? 0;
        return (target[name] as (...all: unknown[]) => unknown).call(target, sql, parameters);
      },
    });
  const report: typeof database.report = <T>(unit: Unit<T>) => database.report((tx) => unit(counting(tx)));
  return { service: createService({ ...service, database: { ...database, report } }), read: () => count };
}

const IN_RANGE = `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM deliveries
  WHERE account_id = @accountId AND id > @afterId AND id < @beforeId LIMIT @limit) r`;
