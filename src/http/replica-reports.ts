import { BoundedCache } from '../app/bounded-cache.ts';
import type { Callers, Credential, Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';

/** When the cache drops an account, a list may lack the account's last change for as long as the replica lags. */
const ACCOUNTS_MAX = 10_000;

type Caller = Callers[Credential];

/** Reads the reports of GET requests from a replica, which may lag a little. */
export interface ReplicaReports {
  /**
   * The service for a request. A GET only displays what it reads, unless its route says otherwise, and it shows what its
   * account has changed in this process.
   */
  serviceFor(route: Route, caller: Caller): Service;
  /** Call it when a request that may have changed something has ended. */
  ended(route: Route, caller: Caller): void;
}

/** Does nothing without a replica. */
export function replicaReports(service: Service): ReplicaReports {
  const { database } = service;
  if (!database.hasReplica) return { serviceFor: () => service, ended: () => undefined };
  const clock = () => performance.now();
  /** When each account last made a change; leads and sales do not count, so a list may lack the latest of them. */
  const changes = new BoundedCache<AccountId, number>({ entriesMax: ACCOUNTS_MAX, clock });
  return {
    serviceFor({ method, reads }, caller) {
      if (method !== 'GET' || reads === 'primary' || caller === null) return service;
      const replicaSince = changes.get(caller.accountId) ?? 0;
      const report: Service['database']['report'] = (unit, options) =>
        database.report(unit, { ...options, replicaSince });
      return Object.freeze({ ...service, database: { ...database, report } });
    },
    ended({ method, scope }, caller) {
      if (method !== 'GET' && scope !== 'track' && caller !== null) changes.set(caller.accountId, clock());
    },
  };
}
