import type { AccountId, ClickId, LeadId, LinkId, PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  filterParameters,
  type PageBounds,
  pageSql,
  walkOf,
  walkOfPartner,
} from '../../storage/list-filters.ts';

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

const OF_CUSTOMER = `e.customer_id = (SELECT b.id FROM customers b
    WHERE b.account_id = @accountId AND b.external_id = @customerExternalId)`;

const LIST = {
  alias: 'e',
  columns: { partnerId: 'e.partner_id' },
  walks: { customerExternalId: walkOf('e', OF_CUSTOMER), partnerId: walkOfPartner('e', 'leads') },
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
     WHERE ${pageSql(filters, LIST)}`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
  return rows.map(({ metadata, ...row }) => ({ ...row, metadata: metadata === null ? null : JSON.parse(metadata) }));
}
