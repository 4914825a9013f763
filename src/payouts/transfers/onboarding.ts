import type { EmbedSession } from '../../app/embed-session.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { isoTime } from '../../core/time.ts';
import { ServiceError, validationError } from '../../errors.ts';
import { getPartner } from '../../programs/partners.ts';
import {
  replacePayoutDetails,
  requirePartnerDetails,
  type StoredPayoutDetails,
} from '../../programs/payout-details.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import { TRANSFER_RAIL_NAMES, TRANSFER_RAILS } from '../../rails/index.ts';
import { findConnections } from '../queries/rail-connections.ts';
import { requireConnection } from './connections.ts';
import type { Onboarding, OnboardingInput, OnboardingLink } from './schemas.ts';

/** Where providers send partners afterwards: a page that says so. Below a path that no link can have. */
export const ONBOARDED_PATH = '/portal/payout-onboarding';

/**
 * A page of the provider at which a partner gives what the provider needs. Opens an account there for a partner who has
 * none, or none in the country: from then on, the partner is paid by it.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` without a connection, or when the provider refuses; `CONFLICT` when other
 *   details, or an account in another country, are stored meanwhile; `UNAVAILABLE`
 */
export function createOnboardingLink(
  service: Service,
  accountId: AccountId,
  partnerId: string,
  input: OnboardingInput,
): Promise<OnboardingLink> {
  return linkFor(service, { accountId, partnerId, session: null }, input);
}

const COUNTRY_NEEDED = 'is required, as an account is opened: send the country in which you are';

/** As `createOnboardingLink`, for the partner whose portal asks. @throws ServiceError `VALIDATION_ERROR` for a missing country */
export function createOwnOnboardingLink(
  service: Service,
  session: EmbedSession,
  input: OnboardingInput,
): Promise<OnboardingLink> {
  const { accountId, partnerId } = session;
  return linkFor(service, { accountId, partnerId, session }, input);
}

interface OnboardingPartner {
  accountId: AccountId;
  partnerId: string;
  session: EmbedSession | null;
}

/**
 * Details are stored after the link was made, so that a partner who gets none is paid as before; and never over those that
 * were stored meanwhile. If these are an account that another request has opened in the same country, the link leads to
 * that one.
 */
async function linkFor(
  service: Service,
  { accountId, partnerId: id, session }: OnboardingPartner,
  { rail, country }: OnboardingInput,
): Promise<OnboardingLink> {
  const { email } = await getPartner(service, accountId, id);
  const { access } = await requireConnection(service, accountId, rail);
  const client = await TRANSFER_RAILS[rail].client();
  const page = `${service.baseUrl}${ONBOARDED_PATH}`;
  const urls = { returnUrl: page, refreshUrl: `${page}?expired=1` };
  const linkTo = async (account: string): Promise<OnboardingLink> => {
    const { url, expires } = await client.onboardingLink(access, account, urls);
    return { url, expires: isoTime(expires) };
  };
  const find = async () => {
    const stored = await requirePartnerDetails(service, accountId, id);
    const known = accountIn(stored);
    return { stored, account: known?.rail === rail ? known.account : null };
  };
  const { stored, account } = await find();
  // null after another account of the provider was connected: partners sign up anew
  const known = account === null ? null : await client.findAccount(access, account);
  if (account !== null && known !== null && isIn(known, country)) return linkTo(account);
  // partners choose it themselves, and the provider's default may be another one
  if (country === null && session !== null) throw validationError([{ path: 'country', message: COUNTRY_NEEDED }]);
  const opened = await client.openAccount(access, { id, email, country });
  const link = await linkTo(opened);
  const details = { rail, ...TRANSFER_RAILS[rail].detailsOf(opened) };
  const change = { replaced: stored, details };
  if (await replacePayoutDetails(service, { accountId, id, session }, change)) return link;
  const other = await find();
  if (other.account === null) {
    const message = `Other payout details were stored meanwhile: look at them, and ask again if ${RAIL_FORMS[rail].title} is to pay`;
    throw new ServiceError('CONFLICT', message);
  }
  if (other.account === opened) return link;
  const theirs = await client.findAccount(access, other.account);
  if (theirs !== null && !isIn(theirs, country)) {
    const message = `An account in another country was opened meanwhile: look at the payout details, and ask again to replace it by one in ${country}`;
    throw new ServiceError('CONFLICT', message);
  }
  return linkTo(other.account);
}

/**
 * Whether the provider would pay a partner now.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` without a connection; `UNAVAILABLE` when the provider does not answer
 */
export async function getOnboarding(service: Service, accountId: AccountId, partnerId: string): Promise<Onboarding> {
  const known = accountIn(await requirePartnerDetails(service, accountId, partnerId));
  if (known === null) return { rail: null, isReady: false, problem: null };
  const { rail, account } = known;
  const { access } = await requireConnection(service, accountId, rail);
  const problem = await (await TRANSFER_RAILS[rail].client()).flawOf(access, account);
  return { rail, isReady: problem === null, problem };
}

/** An account keeps its country. True also if it is not known, or does not matter. */
function isIn({ country: known }: { country?: string | null | undefined }, country: string | null): boolean {
  return country === null || !known || known === country;
}

/** The rails that partners of the account can choose by themselves, because they are connected. */
export async function connectedRails({ database }: Service, accountId: AccountId): Promise<TransferRailName[]> {
  const connections = await database.read((tx) => findConnections(tx, accountId));
  return connections.map(({ rail }) => rail);
}

/** The partner's account at the provider that pays them; null if a file pays them, or nothing yet. */
function accountIn(stored: StoredPayoutDetails | null) {
  const rail = TRANSFER_RAIL_NAMES.find((name) => name === stored?.rail);
  return stored === null || rail === undefined
    ? null
    : { rail, account: TRANSFER_RAILS[rail].accountOf(stored.details) };
}
