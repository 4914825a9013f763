import type { ClickId, CustomerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { ROWS_PER_QUERY } from './erasure.ts';

/** A lead and what it says about a person. */
export interface LeadOfPerson {
  eventName: string;
  clickId: ClickId;
  /** As JSON; null if there is none, or it was not read. */
  metadata: string | null;
  createdAt: number;
}

/** Oldest first; read in parts, as sales are. */
export async function findLeadsOf(
  tx: Transaction,
  customerId: CustomerId,
  { withMetadata }: { withMetadata: boolean },
): Promise<LeadOfPerson[]> {
  const leads: LeadOfPerson[] = [];
  let afterName = '';
  for (let isLast = false; !isLast; ) {
    const part = await tx.all<LeadOfPerson>(
      `SELECT event_name AS "eventName", click_id AS "clickId", created_at AS "createdAt",
         CASE WHEN @withMetadata = 1 THEN metadata END AS metadata
       FROM leads WHERE customer_id = @customerId AND event_name > @afterName ORDER BY event_name LIMIT @limit`,
      { customerId, afterName, limit: ROWS_PER_QUERY, withMetadata: withMetadata ? 1 : 0 },
    );
    leads.push(...part);
    afterName = part.at(-1)?.eventName ?? afterName;
    isLast = part.length < ROWS_PER_QUERY;
  }
  return leads.sort((a, b) => a.createdAt - b.createdAt || (a.eventName < b.eventName ? -1 : 1));
}

export function eraseLeadMetadata(tx: Transaction, customerId: CustomerId) {
  return tx.run('UPDATE leads SET metadata = NULL WHERE customer_id = @customerId AND metadata IS NOT NULL', {
    customerId,
  });
}
