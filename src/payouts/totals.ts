import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { minorToDecimal } from '../core/money.ts';
import {
  findPaidPayouts,
  findPartnersToTotal,
  findPartnerToTotal,
  type PaidPartner,
  type PaidPayout,
} from './queries/totals.ts';
import type { PayoutTotal, PayoutTotalsQuery } from './schemas.ts';

/**
 * One page of the amounts paid to partners in a year, by currency, newest partner first. A page covers `limit` partners
 * and leaves out those who were paid nothing, so it may be empty without being the last.
 */
export function listPayoutTotals(
  service: Service,
  accountId: AccountId,
  { year, partnerId, ...page }: PayoutTotalsQuery,
): Promise<Page<PayoutTotal>> {
  const period = { fromAt: Date.UTC(year, 0), toAt: Date.UTC(year + 1, 0) };
  return service.database.report(async (tx) => {
    const find = async (bounds: { beforeId: string; limit: number }): Promise<PaidPartner[]> => {
      if (partnerId === null) return findPartnersToTotal(tx, accountId, bounds);
      const partner = await findPartnerToTotal(tx, accountId, partnerId);
      return partner === undefined ? [] : [partner];
    };
    const { data: partners, nextCursor } = await pageOf(page, find, (partner) => partner);
    const ids = partners.map(({ id }) => id);
    const paid = Map.groupBy(await findPaidPayouts(tx, ids, period), (payout) => payout.partnerId);
    return { data: partners.flatMap((partner) => totalsOf(partner, paid.get(partner.id) ?? [], year)), nextCursor };
  });
}

function totalsOf({ id, name, email, tenantId }: PaidPartner, payouts: PaidPayout[], year: number): PayoutTotal[] {
  const byCurrency = Map.groupBy(payouts, ({ currency }) => currency);
  return [...byCurrency.keys()].sort().map((currency) => {
    const paid = byCurrency.get(currency) ?? [];
    const sum = paid.reduce((total, { amount }) => total + BigInt(amount), 0n);
    return {
      year,
      partnerId: id,
      partnerName: name,
      partnerEmail: email,
      tenantId,
      currency,
      payoutCount: paid.length,
      amount: sum > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(sum),
      amountDecimal: minorToDecimal(sum, currency),
    };
  });
}
