import type { AccountId, ClickId, LeadId, LinkId, PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  orderOfPartner,
  type PageBounds,
  pageSql,
  walkOfFew,
  walkOfPartner,
  walkOfPeriod,
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
  partnerName: string;
  metadata: Record<string, unknown> | null;
  createdAt: number;
}

const OF_CUSTOMER = `e.customer_id = (SELECT b.id FROM customers b
    WHERE b.account_id = @accountId AND b.external_id = @customerExternalId)`;

/** The leads of a customer, by its external id or its lower-case address. */
const OF_SEARCH = `e.id IN (
    SELECT k.id FROM customers b JOIN leads k ON k.customer_id = b.id
      WHERE b.account_id = @accountId AND b.external_id = @search
    UNION SELECT k.id FROM customers b JOIN leads k ON k.customer_id = b.id
      WHERE b.account_id = @accountId AND b.email_lower = @email)`;

const LIST = {
  alias: 'e',
  columns: { customerExternalId: 'c.external_id', partnerId: 'e.partner_id' },
  narrow: {
    time: 'e.created_at',
    columns: { linkId: 'e.link_id' },
  },
  walks: {
    search: walkOfFew('e', OF_SEARCH),
    customerExternalId: walkOfFew('e', OF_CUSTOMER),
    partnerId: walkOfPartner('e', 'leads'),
    period: walkOfPeriod('e'),
  },
};

type LeadViewRow = Omit<LeadView, 'metadata'> & { metadata: string | null };

const SELECT = `SELECT e.id, e.event_name AS "eventName", c.external_id AS "externalId", c.email, c.name,
    e.click_id AS "clickId", e.link_id AS "linkId", e.partner_id AS "partnerId",
    (SELECT n.name FROM partners n WHERE n.id = e.partner_id) AS "partnerName", e.metadata,
    e.created_at AS "createdAt"
  FROM leads e JOIN customers c ON c.id = e.customer_id`;

/** How the rows of one partner are sorted; the filter `partnerId` may be missing. */
export const orderOfLeads = (filters: Filters) => orderOfPartner(filters, LIST.walks);

/** Newest first. The filter `search` works as in `findSales`. */
export async function findLeads(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<LeadView[]> {
  const rows = await tx.all<LeadViewRow>(`${SELECT} WHERE ${pageSql(filters, LIST)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
  return rows.map(asLeadView);
}

/** Reads a lead that must exist. */
export async function findLeadView(tx: Transaction, accountId: AccountId, id: LeadId): Promise<LeadView> {
  const row = await tx.get<LeadViewRow>(`${SELECT} WHERE e.account_id = @accountId AND e.id = @id`, { accountId, id });
  if (!row) throw new Error(`Lead ${id} is missing`);
  return asLeadView(row);
}

function asLeadView({ metadata, ...row }: LeadViewRow): LeadView {
  return { ...row, metadata: metadata === null ? null : JSON.parse(metadata) };
}
