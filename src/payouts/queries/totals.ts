import type { AccountId, PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

/** The partner that a total belongs to. */
export interface PaidPartner {
  id: PartnerId;
  name: string;
  email: string;
  tenantId: string | null;
}

const PARTNER =
  'SELECT n.id, n.name, n.email, n.tenant_id AS "tenantId" FROM partners n WHERE n.account_id = @accountId';

/** The account's partners, including archived ones, newest first. */
export function findPartnersToTotal(
  tx: Transaction,
  accountId: AccountId,
  { beforeId, limit }: { beforeId: string; limit: number },
) {
  return tx.all<PaidPartner>(`${PARTNER} AND n.id < @beforeId ORDER BY n.id DESC LIMIT @limit`, {
    accountId,
    beforeId,
    limit,
  });
}

export function findPartnerToTotal(tx: Transaction, accountId: AccountId, partnerId: string) {
  return tx.get<PaidPartner>(`${PARTNER} AND n.id = @partnerId`, { accountId, partnerId });
}

/** A paid payout. */
export interface PaidPayout {
  partnerId: PartnerId;
  currency: string;
  amount: number;
}

/**
 * The payouts of partners that were paid between the parameters `fromAt` (inclusive) and `toAt` (exclusive), in any
 * order.
 */
export const findPaidPayouts = manyIds<PaidPayout>(
  (partners) => `SELECT p.partner_id AS "partnerId", p.currency, p.amount FROM payouts p
    WHERE p.partner_id IN ${partners} AND p.status = 'paid' AND p.paid_at >= @fromAt AND p.paid_at < @toAt`,
);
