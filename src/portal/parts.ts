import type { EmbedSession } from '../app/embed-session.ts';
import type { Page, PageQuery } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { maskedEmail } from '../core/masked-email.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { getEarnings } from '../ledger/earnings.ts';
import { listLinksOfPartner } from '../links/partner-links.ts';
import { listSalesOfPartner } from '../payments/lists/partner-sales.ts';
import { amountsUnderWay } from '../payouts/list.ts';
import { getPartner } from '../programs/partners.ts';
import type { PartnerLinkResource, PortalEarnings, PortalSale, PortalTerms } from './schemas.ts';
import { programOf, requireShown } from './shown.ts';

/** The partner's commission terms. A link of the partner may have its own commission. */
export async function getPortalTerms(service: Service, session: EmbedSession): Promise<PortalTerms> {
  const program = await programOf(service, session);
  const partner = await getPartner(service, session.accountId, session.partnerId);
  const { commission, durationMonths, holdDays, amountBasis } = program;
  const ends = [partner.archivedAt, isoTimeOrNull(program.archivedAt)].filter((time) => time !== null);
  const archivedAt = ends.toSorted()[0] ?? null;
  // what is owed after the end is paid without one
  const minimumPayout = archivedAt === null ? program.minimumPayout : {};
  const terms = { durationMonths, holdDays, minimumPayout, amountBasis, archivedAt };
  return { commission: partner.commission ?? commission, ...terms };
}

/**
 * One page of the partner's links, newest first, with the results of all time that the portal shows.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show links
 */
export async function listPortalLinks(
  service: Service,
  session: EmbedSession,
  page: PageQuery,
): Promise<Page<PartnerLinkResource>> {
  const { showStats, showEarnings } = await requireShown(service, session, 'showReferralLink');
  const { data, nextCursor } = await listLinksOfPartner(service, session.partnerId, page);
  return {
    data: data.map(({ id, shortLink, url, commission, clicks, leads, sales, earnedCommission, createdAt }) => ({
      id,
      shortLink,
      url,
      commission,
      clicks: showStats ? clicks : null,
      leads: showStats ? leads : null,
      sales: showStats ? sales : null,
      earnedCommission: showEarnings ? earnedCommission : null,
      createdAt,
    })),
    nextCursor,
  };
}

/**
 * What the partner has earned so far, and where that money is now.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show earnings
 */
export async function getPortalEarnings(service: Service, session: EmbedSession): Promise<PortalEarnings> {
  await requireShown(service, session, 'showEarnings');
  const { accountId, partnerId } = session;
  const { data } = await getEarnings(service, accountId, partnerId, { from: null, to: null, interval: null });
  const onTheirWay = await amountsUnderWay(service, partnerId);
  return {
    data: data.map(({ currency, earned, reversed, held, payable, paid }) => {
      const processing = onTheirWay.get(currency) ?? 0;
      return { currency, earned, reversed, held, available: payable - processing, processing, paid };
    }),
  };
}

/**
 * One page of the partner's sales, newest first, without customer names.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show earnings
 */
export async function listPortalSales(
  service: Service,
  session: EmbedSession,
  page: PageQuery,
): Promise<Page<PortalSale>> {
  await requireShown(service, session, 'showEarnings');
  const { data, nextCursor } = await listSalesOfPartner(service, session, page);
  return {
    data: data.map((sale) => ({
      id: sale.id,
      occurredAt: isoTime(sale.occurredAt),
      customer: sale.customerEmail === null ? null : maskedEmail(sale.customerEmail),
      amount: sale.amount,
      currency: sale.currency,
      commissionAmount: sale.commissionAmount,
      reversedCommissionAmount: sale.reversedCommissionAmount,
      status: sale.status,
      reversalReason: sale.reversalReason,
    })),
    nextCursor,
  };
}
