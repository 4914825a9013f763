import { createService, type Service } from '../../src/app/service.ts';
import { unavailable } from '../../src/errors.ts';
import type { Transaction, Unit } from '../../src/storage/database.ts';

/** The service, with a database that fails every query about one account. */
export function failingFor(service: Service, accountId: string): Service {
  const { database } = service;
  const guarded = (tx: Transaction) =>
    new Proxy(tx, {
      get: (target, name: keyof Transaction) => {
        const method = target[name] as (...parameters: unknown[]) => unknown;
        return (...parameters: [unknown, { accountId?: string }?]) =>
          parameters[1]?.accountId === accountId
            ? Promise.reject(unavailable('The report took too long'))
            : method.apply(target, parameters);
      },
    });
  const failing =
    <T>(unit: Unit<T>): Unit<T> =>
    (tx) =>
      unit(guarded(tx));
  return createService({
    ...service,
    database: {
      ...database,
      read: (unit) => database.read(failing(unit)),
      report: (unit, options) => database.report(failing(unit), options),
      write: (unit, options) => database.write(failing(unit), options),
    },
  });
}
