import type { AccountId, ClickId, LeadId, LinkId, PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

export interface LeadView {
  id: LeadId;
  eventName: string;
  externalId: string;
  email: string | null;
  name: string | null;
  clickId: ClickId;
  linkId: LinkId;
  partnerId: PartnerId;
  metadata: Record<string, unknown> | null;
  createdAt: number;
}

const CONDITIONS = {
  customerExternalId: 'c.external_id = @customerExternalId',
  partnerId: 'e.partner_id = @partnerId',
};

/** The newest first. */
export async function findLeads(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<LeadView[]> {
  const rows = await tx.all<Omit<LeadView, 'metadata'> & { metadata: string | null }>(
    `SELECT e.id, e.event_name AS "eventName", c.external_id AS "externalId", c.email, c.name,
       e.click_id AS "clickId", e.link_id AS "linkId", e.partner_id AS "partnerId", e.metadata,
       e.created_at AS "createdAt"
     FROM leads e JOIN customers c ON c.id = e.customer_id
     WHERE e.account_id = @accountId${filterSql(filters, CONDITIONS)} AND e.id < @beforeId
     ORDER BY e.id DESC LIMIT @limit`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
  return rows.map(({ metadata, ...row }) => ({ ...row, metadata: metadata === null ? null : JSON.parse(metadata) }));
}
