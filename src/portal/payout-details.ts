import { auditedService } from '../accounts/audit-log.ts';
import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { connectedRails, createOwnOnboardingLink, getOnboarding } from '../payouts/transfers/onboarding.ts';
import type { OnboardingInput, OnboardingLink } from '../payouts/transfers/schemas.ts';
import { getPartner } from '../programs/partners.ts';
import { setOwnPayoutDetails } from '../programs/payout-details.ts';
import type { PayoutDetailsView } from '../rails/contract/rail.ts';
import type { PortalOnboarding, PortalPayoutDetails } from './schemas.ts';
import { requireShown } from './shown.ts';

/** @throws ServiceError `NOT_FOUND` when the program does not show payouts */
export async function getPortalPayoutDetails(service: Service, session: EmbedSession): Promise<PortalPayoutDetails> {
  await requireShown(service, session, 'showPayoutHistory');
  const { payoutDetails } = await getPartner(service, session.accountId, session.partnerId);
  return { payoutDetails, transferRails: await connectedRails(service, session.accountId) };
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
  const { payoutDetails } = await setOwnPayoutDetails(await auditedAs(service, session), session, details);
  return { payoutDetails, transferRails: await connectedRails(service, session.accountId) };
}

/**
 * A page of the provider at which the partner signs up, or completes what is missing. The audit log as above.
 *
 * @throws ServiceError as `setPortalPayoutDetails`; `INVALID_STATE` when the provider is not connected, or refuses;
 *   `CONFLICT` when other details are stored meanwhile; `UNAVAILABLE` when it does not answer
 */
export async function createPortalOnboardingLink(
  service: Service,
  session: EmbedSession,
  input: OnboardingInput,
): Promise<OnboardingLink> {
  await requireShown(service, session, 'showPayoutHistory');
  if (!(await connectedRails(service, session.accountId)).includes(input.rail)) {
    throw new ServiceError('INVALID_STATE', `${input.rail} is not offered here: choose another way to be paid`);
  }
  return createOwnOnboardingLink(await auditedAs(service, session), session, input);
}

/**
 * Whether the provider would pay the partner now.
 *
 * @throws ServiceError `NOT_FOUND` when the program does not show payouts; `INVALID_STATE`; `UNAVAILABLE`
 */
export async function getPortalOnboarding(service: Service, session: EmbedSession): Promise<PortalOnboarding> {
  await requireShown(service, session, 'showPayoutHistory');
  const { rail, isReady } = await getOnboarding(service, session.accountId, session.partnerId);
  return { rail, isReady };
}

async function auditedAs(service: Service, session: EmbedSession): Promise<Service> {
  const { accountId, partnerId: id, issuedBy } = session;
  const { name } = await getPartner(service, accountId, id);
  // an embed token may be in other hands than the partner's: those of whoever has the key that issued it
  const actor = {
    kind: 'partner',
    id,
    name: issuedBy === null ? name : `${name}, embed token of ${issuedBy}`,
  } as const;
  return auditedService(service, { accountId, actor, action: 'partner.set_payout_details' });
}
