import type { AccountId, LeadId, PartnerId, SaleId } from '../../core/ids.ts';
import { DAY_MS } from '../../core/time.ts';
import type { Transaction } from '../../storage/database.ts';
import { ofPartners, type PartnerRange } from './partner-ranges.ts';
import { COMMISSION_LEFT } from './results.ts';

/** Reads leads and sales in the order of ids, for the reason given in `ledger-walks.ts`. */

/** How many results per day each partner has, in the order of their ids. */
export function countResultDays(tx: Transaction, page: { accountId: AccountId; afterId: string; limit: number }) {
  return tx.all<{ id: PartnerId; sums: number }>(
    `SELECT p.id, (SELECT COUNT(*) FROM result_days r WHERE r.owner_id = p.id AND r.span = 1) AS sums
     FROM partners p WHERE p.account_id = @accountId AND p.id > @afterId ORDER BY p.id LIMIT @limit`,
    page,
  );
}

/** A partner's results of one day, without clicks. */
export interface ResultDay {
  owner: PartnerId;
  /** The link, or '' without one. */
  part: string;
  currency: string;
  day: number;
  leads: number;
  sales: number;
  revenue: number;
  commission: number;
}

export function findResultDays(tx: Transaction, range: PartnerRange) {
  return tx.all<ResultDay>(
    `SELECT r.owner_id AS owner, r.part, r.currency, r.day, r.leads, r.sales, r.revenue, r.commission
     FROM partners p CROSS JOIN result_days r
     WHERE p.account_id = @accountId AND p.id > @afterPartnerId AND p.id <= @lastPartnerId
       AND r.owner_id = p.id AND r.owner_id > @afterPartnerId AND r.owner_id <= @lastPartnerId AND r.span = 1
       AND (r.leads <> 0 OR r.sales <> 0 OR r.revenue <> 0 OR r.commission <> 0)`,
    { ...range },
  );
}

/** The parts of a lead that sums per day depend on. */
export interface WalkedLead {
  id: LeadId;
  owner: PartnerId;
  part: string;
  day: number;
}

/** The leads with ids above `afterId` of the account and the partners, in the order of their ids. */
export function walkLeads(tx: Transaction, range: PartnerRange, afterId: string, limit: number) {
  return tx.all<WalkedLead>(
    `SELECT e.id, e.partner_id AS owner, e.link_id AS part, e.created_at / ${DAY_MS} AS day
     FROM leads e WHERE e.account_id = @accountId AND e.id > @afterId AND ${ofPartners('e.partner_id')}
     ORDER BY e.id LIMIT @limit`,
    { ...range, afterId, limit },
  );
}

/** The parts of a sale that sums per day depend on. */
export interface WalkedSale {
  id: SaleId;
  owner: PartnerId;
  part: string;
  currency: string;
  day: number;
  isVoided: number;
  amount: number;
  commission: number;
}

/** The sales with ids above `afterId` of the account and the partners, in the order of their ids. */
export function walkSales(tx: Transaction, range: PartnerRange, afterId: string, limit: number) {
  return tx.all<WalkedSale>(
    `SELECT s.id, s.partner_id AS owner, COALESCE(s.link_id, '') AS part, s.currency, s.created_at / ${DAY_MS} AS day,
       CASE WHEN s.voided_reason IS NULL THEN 0 ELSE 1 END AS "isVoided", s.amount,
       CAST(${COMMISSION_LEFT} AS BIGINT) AS commission
     FROM sales s WHERE s.account_id = @accountId AND s.id > @afterId AND ${ofPartners('s.partner_id')}
     ORDER BY s.id LIMIT @limit`,
    { ...range, afterId, limit },
  );
}
