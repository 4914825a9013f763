import type { EmbedSession } from '../app/embed-session.ts';
import type { Page, PageQuery } from '../app/page.ts';
import type { RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { notFound } from '../errors.ts';
import { listLedger } from '../ledger/list.ts';
import { ledgerQuery } from '../ledger/schemas.ts';
import { getPayout, listPayouts } from '../payouts/list.ts';
import { type PayoutResource, payoutListQuery } from '../payouts/schemas.ts';
import { answerStatement } from '../payouts/statement.ts';
import { getPartner } from '../programs/partners.ts';
import { parseInput } from '../schema/parse.ts';
import type { PortalPayout, PortalStatement, PortalStatementQuery } from './schemas.ts';
import { programOf, requireShown } from './shown.ts';

/** The query for the first page of each list, without filters. */
const ALL_PAYOUTS = parseInput(payoutListQuery, {});
const ALL_ENTRIES = parseInput(ledgerQuery, {});

/**
 * One page of the partner's payouts, newest first. Who made them, and the notes about them, are not shown. A queued
 * payout is left out: it is only the sum of the entries in no payout, which the earnings already show. A page may
 * therefore be shorter, but is empty only at the end of the list.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show payouts
 */
export async function listPortalPayouts(
  service: Service,
  session: EmbedSession,
  page: PageQuery,
): Promise<Page<PortalPayout>> {
  await requireShown(service, session, 'showPayoutHistory');
  const { accountId, partnerId } = session;
  let { cursor } = page;
  for (;;) {
    const { data, nextCursor } = await listPayouts(service, accountId, { ...ALL_PAYOUTS, ...page, cursor, partnerId });
    const shown = data.flatMap((payout) => asPortalPayout(payout) ?? []);
    if (shown.length > 0 || nextCursor === null) return { data: shown, nextCursor };
    // there is one queued payout per currency at most
    cursor = nextCursor;
  }
}

/**
 * The statement of one of the partner's payouts, as a page to print or as a file.
 *
 * @throws ServiceError `NOT_FOUND` when the partner has no such payout, or the program does not show payouts;
 * `INVALID_STATE` for a payout that failed or was canceled
 */
export async function answerPortalStatement(
  service: Service,
  session: EmbedSession,
  payoutId: string,
  format: 'html' | 'csv',
): Promise<RawReply> {
  await requireShown(service, session, 'showPayoutHistory');
  const { accountId, partnerId } = session;
  const payout = await getPayout(service, accountId, payoutId);
  // like the list: a payout that is still collecting does not exist for the partner
  if (payout.status === 'queued') throw notFound('payout', payoutId);
  return answerStatement(service, { accountId, partnerId, payoutId }, format);
}

/**
 * The entries of a payout, for a statement. A payout that failed or was canceled has no entries.
 *
 * @throws ServiceError `NOT_FOUND` when the partner has no such payout, or the program does not show payouts
 */
export async function getPortalStatement(
  service: Service,
  session: EmbedSession,
  payoutId: string,
  page: Omit<PortalStatementQuery, 'format'>,
): Promise<PortalStatement> {
  await requireShown(service, session, 'showPayoutHistory');
  const { accountId, partnerId } = session;
  const payout = await getPayout(service, accountId, payoutId);
  const shown = payout.partnerId === partnerId ? asPortalPayout(payout) : null;
  if (shown === null) throw notFound('payout', payoutId);
  const program = await programOf(service, session);
  const partner = await getPartner(service, accountId, partnerId);
  const { data, nextCursor } = await listLedger(service, accountId, { ...ALL_ENTRIES, ...page, partnerId, payoutId });
  return {
    payout: shown,
    programName: program.name,
    partner: { name: partner.name, email: partner.email },
    data: data.map(({ id, createdAt, kind, saleId, reason, amount }) => {
      return { id, createdAt, kind, saleId, reason: kind === 'adjustment' ? reason : null, amount };
    }),
    nextCursor,
  };
}

/** Null for a queued payout. */
function asPortalPayout(payout: PayoutResource): PortalPayout | null {
  const { id, currency, amount, status, createdAt, processingAt, paidAt, entryCount } = payout;
  if (status === 'queued') return null;
  // the operator finds out whether it arrived; until then it is on its way
  const shown = status === 'held' ? 'processing' : status;
  return { id, currency, amount, status: shown, startedAt: processingAt ?? createdAt, paidAt, entryCount };
}
