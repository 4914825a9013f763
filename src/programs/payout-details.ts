import type { EmbedSession } from '../app/embed-session.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import type { PayoutDetails, PayoutDetailsView } from '../rails/contract/rail.ts';
import { RAILS } from '../rails/index.ts';
import type { Transaction } from '../storage/database.ts';
import { requireEmbedToken } from './embed-tokens.ts';
import { asResource, claimPartner, requirePartner } from './partners.ts';
import { updatePayoutDetails } from './queries/payout-details.ts';
import type { PartnerResource } from './schemas.ts';

/**
 * Stores how a partner wants to be paid, replacing earlier details. The details are encrypted and stored with a masked
 * view. Payouts that are already in a file are paid as the file states.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function setPayoutDetails(
  service: Service,
  accountId: AccountId,
  id: string,
  details: PayoutDetailsView,
): Promise<PartnerResource> {
  return setIf(service, details, { accountId, id, check: async () => {} });
}

/**
 * Like `setPayoutDetails`, for the partner whose portal sends them.
 *
 * @throws ServiceError `UNAUTHORIZED` when access to the portal has ended meanwhile
 */
export function setOwnPayoutDetails(
  service: Service,
  session: EmbedSession,
  details: PayoutDetailsView,
): Promise<PartnerResource> {
  const { accountId, partnerId: id } = session;
  const check = (tx: Transaction) => requireEmbedToken(tx, session, service.clock());
  return setIf(service, details, { accountId, id, check });
}

interface CheckedPartner {
  accountId: AccountId;
  id: string;
  check(tx: Transaction): Promise<void>;
}

function setIf(
  service: Service,
  { rail, ...details }: PayoutDetailsView,
  { accountId, id, check }: CheckedPartner,
): Promise<PartnerResource> {
  const payoutDetails: PayoutDetailsView = { rail, ...RAILS[rail].masked(details) };
  const sealed = service.sealer.seal(JSON.stringify({ rail, details }));
  return service.database.write(async (tx) => {
    await claimPartner(tx, id);
    await check(tx);
    const partner = await requirePartner(tx, accountId, id);
    await updatePayoutDetails(tx, partner.id, { masked: JSON.stringify(payoutDetails), sealed });
    noteChange(tx, { resourceId: partner.id, secretMembers: ['payoutDetails'] });
    return asResource({ ...partner, payoutDetails });
  });
}

/**
 * Decrypts the details that `setPayoutDetails` stored.
 *
 * @throws Error when they were encrypted with another key
 */
export function openPayoutDetails({ sealer }: Pick<Service, 'sealer'>, sealed: Buffer): PayoutDetails {
  return (JSON.parse(sealer.open(sealed)) as { details: PayoutDetails }).details;
}
