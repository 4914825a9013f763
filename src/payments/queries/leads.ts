import type { AccountId, ClickId, CustomerId, LeadId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface NewLead {
  id: LeadId;
  accountId: AccountId;
  customerId: CustomerId;
  eventName: string;
  clickId: ClickId;
  linkId: LinkId;
  partnerId: PartnerId;
  metadata: Record<string, unknown> | null;
  createdAt: number;
}

/** A lead's event, the link of its click, and the customer as currently stored. */
export interface LeadRow {
  eventName: string;
  clickId: ClickId;
  linkId: LinkId;
  domain: string;
  key: string;
  url: string;
  programId: ProgramId;
  externalId: string;
  email: string | null;
  name: string | null;
}

/** Adds a lead. Returns false when the customer already has one for this event. */
export async function insertLead(tx: Transaction, lead: NewLead): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO leads (id, account_id, customer_id, event_name, click_id, link_id, partner_id, metadata, created_at)
     VALUES (@id, @accountId, @customerId, @eventName, @clickId, @linkId, @partnerId, @metadata, @createdAt)
     ON CONFLICT (customer_id, event_name) DO NOTHING`,
    { ...lead, metadata: lead.metadata === null ? null : JSON.stringify(lead.metadata) },
  );
  return changed === 1;
}

export function findLead(tx: Transaction, customerId: CustomerId, eventName: string) {
  return tx.get<LeadRow>(
    `SELECT e.event_name AS "eventName", e.click_id AS "clickId", e.link_id AS "linkId", l.domain, l.key, l.url,
       l.program_id AS "programId", c.external_id AS "externalId", c.email, c.name
     FROM leads e JOIN links l ON l.id = e.link_id JOIN customers c ON c.id = e.customer_id
     WHERE e.customer_id = @customerId AND e.event_name = @eventName`,
    { customerId, eventName },
  );
}
