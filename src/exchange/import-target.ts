import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';

/** Where rows go. */
export interface ImportTarget {
  service: Service;
  accountId: AccountId;
  /** The program of new partners; null for the account's only program. */
  programId: string | null;
  /** The service that a file comes from, such as `Rewardful`; the origin recorded for what its rows earned. */
  origin?: string | null;
}
