import type { AccountId, PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

/** Whom a total is for. */
export interface PaidPartner {
  id: PartnerId;
  name: string;
  email: string;
  tenantId: string | null;
}

const PARTNER =
  'SELECT n.id, n.name, n.email, n.tenant_id AS "tenantId" FROM partners n WHERE n.account_id = @accountId';

/** The account's partners, archived ones included, the newest first. */
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

/** A payout that was paid. */
export interface PaidPayout {
  partnerId: PartnerId;
  currency: string;
  amount: number;
}

/** The payouts of partners that were paid from the parameter `fromAt` until before `toAt`, in any order. */
export const findPaidPayouts = manyIds<PaidPayout>(
  (partners) => `SELECT p.partner_id AS "partnerId", p.currency, p.amount FROM payouts p
    WHERE p.partner_id IN ${partners} AND p.status = 'paid' AND p.paid_at >= @fromAt AND p.paid_at < @toAt`,
);
