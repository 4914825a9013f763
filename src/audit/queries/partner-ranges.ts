import type { AccountId } from '../../core/ids.ts';

/** Partners of an account with ids above one and up to another. */
export interface PartnerRange {
  accountId: AccountId;
  afterPartnerId: string;
  lastPartnerId: string;
}

/** Rows by the partner, in a walk in the order of ids: the expression keeps both engines from an index of partners. */
export const ofPartners = (partnerId: string) =>
  `${partnerId} || '' > @afterPartnerId AND ${partnerId} || '' <= @lastPartnerId`;
