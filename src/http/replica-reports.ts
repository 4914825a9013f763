import { BoundedCache } from '../app/bounded-cache.ts';
import type { Callers, Credential, Route } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';

/** An account that is forgotten may miss its last change in a list, for as long as the replica is behind. */
const ACCOUNTS_MAX = 10_000;

type Caller = Callers[Credential];

/** Reads the reports of GET requests from a replica, which is a little behind. */
export interface ReplicaReports {
  /** The service for a request: nothing is decided by what a GET shows, and it shows what its account has changed here. */
  serviceFor(route: Route, caller: Caller): Service;
  /** Call it when a request has ended that may have changed something. */
  ended(route: Route, caller: Caller): void;
}

/** Does nothing without a replica. */
export function replicaReports(service: Service): ReplicaReports {
  const { database } = service;
  if (!database.hasReplica) return { serviceFor: () => service, ended: () => undefined };
  const clock = () => performance.now();
  /** When each account last changed something other than by leads and sales, of which a list may lack the latest. */
  const changes = new BoundedCache<AccountId, number>({ entriesMax: ACCOUNTS_MAX, clock });
  return {
    serviceFor({ method }, caller) {
      if (method !== 'GET' || caller === null) return service;
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
