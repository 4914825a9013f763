import type { EmbedSession } from '../app/embed-session.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { PayoutDetails, PayoutDetailsView, RailName } from '../rails/contract/rail.ts';
import { RAILS } from '../rails/index.ts';
import type { Transaction } from '../storage/database.ts';
import { requireEmbedToken } from './embed-tokens.ts';
import { asResource, claimPartner, requirePartner } from './partners.ts';
import { findPayoutDetails, updatePayoutDetails } from './queries/payout-details.ts';
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

/** Ends a unit of work that would overwrite details that were stored meanwhile. */
class DetailsChanged extends Error {}

/**
 * Stores details that were made without the partner, such as an account opened at a provider, in place of those that were
 * read before. Returns false, and stores nothing, when others have been stored since.
 *
 * @param session the partner's, whose portal asks for it; null for anybody else
 * @throws ServiceError as `setPayoutDetails` and `setOwnPayoutDetails`
 */
export async function replacePayoutDetails(
  service: Service,
  { accountId, id, session }: { accountId: AccountId; id: string; session: EmbedSession | null },
  { replaced, details }: { replaced: StoredPayoutDetails | null; details: PayoutDetailsView },
): Promise<boolean> {
  const check = async (tx: Transaction) => {
    if (session !== null) await requireEmbedToken(tx, session, service.clock());
    const sealed = (await findPayoutDetails(tx, accountId, id))?.sealed ?? null;
    const isSame = sealed === null || replaced === null ? sealed === replaced : sealed.equals(replaced.sealed);
    if (!isSame) throw new DetailsChanged();
  };
  try {
    await setIf(service, details, { accountId, id, check });
    return true;
  } catch (error) {
    if (error instanceof DetailsChanged) return false;
    throw error;
  }
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

/** Why details cannot be decrypted, and what to do. */
export const OTHER_KEY =
  'The details were encrypted with another SECRET_KEY: add that key to SECRET_KEY_FALLBACKS, or set them again';

export interface StoredPayoutDetails {
  rail: RailName;
  details: PayoutDetails;
  /** As stored; changes whenever details are stored. */
  sealed: Buffer;
}

/**
 * The rail and details of a partner; null without any.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when they were encrypted with another key
 */
export async function requirePartnerDetails(
  service: Service,
  accountId: AccountId,
  id: string,
): Promise<StoredPayoutDetails | null> {
  const stored = await service.database.read((tx) => findPayoutDetails(tx, accountId, id));
  if (stored === undefined) throw notFound('partner', id);
  if (stored.masked === null || stored.sealed === null) return null;
  try {
    const { masked, sealed } = stored;
    return { rail: railOf(masked), details: openPayoutDetails(service, sealed), sealed };
  } catch {
    throw new ServiceError('INVALID_STATE', OTHER_KEY);
  }
}

function railOf(masked: string): RailName {
  return (JSON.parse(masked) as PayoutDetailsView).rail;
}
