import type { AccountId } from '../../core/ids.ts';

/** The partners of an account with ids above `afterPartnerId`, up to and including `lastPartnerId`. */
export interface PartnerRange {
  accountId: AccountId;
  afterPartnerId: string;
  lastPartnerId: string;
}

/**
 * Selects rows of partners during a walk in the order of ids; the expression keeps both engines from an index by
 * partner.
 */
export const ofPartners = (partnerId: string) =>
  `${partnerId} || '' > @afterPartnerId AND ${partnerId} || '' <= @lastPartnerId`;
