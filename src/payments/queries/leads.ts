import type { Transaction } from '../../storage/database.ts';

export interface NewLead {
  id: string;
  accountId: string;
  customerId: string;
  eventName: string;
  clickId: string;
  linkId: string;
  partnerId: string;
  /** JSON text. */
  metadata: string | null;
  createdAt: number;
}

/** A lead's event, its click's link, and the customer as it is stored now. */
export interface LeadRow {
  eventName: string;
  clickId: string;
  linkId: string;
  domain: string;
  key: string;
  url: string;
  programId: string;
  externalId: string;
  email: string | null;
  name: string | null;
}

/** False when this customer already has a lead of this event. */
export async function insertLead(tx: Transaction, lead: NewLead): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO leads (id, account_id, customer_id, event_name, click_id, link_id, partner_id, metadata, created_at)
     VALUES (@id, @accountId, @customerId, @eventName, @clickId, @linkId, @partnerId, @metadata, @createdAt)
     ON CONFLICT (customer_id, event_name) DO NOTHING`,
    { ...lead },
  );
  return changed === 1;
}

export function findLead(tx: Transaction, customerId: string, eventName: string) {
  return tx.get<LeadRow>(
    `SELECT e.event_name AS "eventName", e.click_id AS "clickId", e.link_id AS "linkId", l.domain, l.key, l.url,
       l.program_id AS "programId", c.external_id AS "externalId", c.email, c.name
     FROM leads e JOIN links l ON l.id = e.link_id JOIN customers c ON c.id = e.customer_id
     WHERE e.customer_id = @customerId AND e.event_name = @eventName`,
    { customerId, eventName },
  );
}
