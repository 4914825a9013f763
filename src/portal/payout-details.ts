import { auditedService } from '../accounts/audit-log.ts';
import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import { getPartner } from '../programs/partners.ts';
import { setOwnPayoutDetails } from '../programs/payout-details.ts';
import type { PayoutDetailsView } from '../rails/contract/rail.ts';
import type { PortalPayoutDetails } from './schemas.ts';
import { requireShown } from './shown.ts';

/** @throws ServiceError `NOT_FOUND` when the program does not show payouts */
export async function getPortalPayoutDetails(service: Service, session: EmbedSession): Promise<PortalPayoutDetails> {
  await requireShown(service, session, 'showPayoutHistory');
  const { payoutDetails } = await getPartner(service, session.accountId, session.partnerId);
  return { payoutDetails };
}

/**
 * Stores how the partner wants to be paid. The audit log names the partner, and who issued the embed token.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show payouts; `UNAUTHORIZED` when access ended meanwhile
 */
export async function setPortalPayoutDetails(
  service: Service,
  session: EmbedSession,
  details: PayoutDetailsView,
): Promise<PortalPayoutDetails> {
  await requireShown(service, session, 'showPayoutHistory');
  const { accountId, partnerId: id, issuedBy } = session;
  const { name } = await getPartner(service, accountId, id);
  // an embed token may be in other hands than the partner's: those of whoever has the key that issued it
  const actor = {
    kind: 'partner',
    id,
    name: issuedBy === null ? name : `${name}, embed token of ${issuedBy}`,
  } as const;
  const audited = auditedService(service, { accountId, actor, action: 'partner.set_payout_details' });
  const { payoutDetails } = await setOwnPayoutDetails(audited, session, details);
  return { payoutDetails };
}
