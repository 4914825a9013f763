import type { Service } from '../app/service.ts';
import type { ClickId } from '../core/ids.ts';
import { excerpt, ServiceError } from '../errors.ts';
import { createClickId } from '../ids.ts';
import { parseHost } from '../schema/host-field.ts';
import { storeClick } from './click-batch.ts';
import { type ClickDetails, findReferrer, type LinkTarget } from './queries/clicks.ts';
import { isRepeatVisit } from './repeat-visits.ts';
import type { ClickInput, ClickResource } from './schemas.ts';
import { loadLink } from './targets.ts';
import { type VisitorTraits, visitorHashFor } from './visitor-hash.ts';

/** The visitor of a link: the details to store, and the traits that are only hashed. */
export interface Visitor extends Omit<ClickDetails, 'visitorHash' | 'isRepeat'>, VisitorTraits {}

/**
 * Records a click on a `?via=<key>` link that the browser reports.
 *
 * @param origin the `Origin` header, which takes precedence over `url`; null without one
 * @param visitor null for bots and previews, for which no click is recorded
 * @returns who sent the visitor, and the click's id, which is null when no click was recorded
 * @throws ServiceError `NOT_FOUND` for the link; `ORIGIN_NOT_ALLOWED` when the page is not on a tracked host of the
 * link's program; `UNAVAILABLE`
 */
export async function trackClick(
  service: Service,
  { url, referrer, ...named }: ClickInput,
  origin: string | null,
  visitor: Omit<Visitor, 'referrerHost'> | null,
): Promise<ClickResource> {
  const { link, key } = await requireLink(service, named);
  requireTrackedHost(link, origin ?? url);
  const sender = await service.database.read((tx) => findReferrer(tx, link.partnerId));
  if (sender === undefined) throw new Error('The link has no partner');
  const { id, name, discountCode } = sender;
  const clickId =
    visitor && (await recordVisitor(service, link, { ...visitor, referrerHost: referrerHostOf(referrer) }));
  return { clickId, key, partner: { id, name, image: null }, discountCode };
}

/**
 * The link with the given key. Without a key, the link named by the first parameter that the link's program uses for
 * keys.
 */
async function requireLink(
  service: Service,
  { domain, key, parameters }: Pick<ClickInput, 'domain' | 'key' | 'parameters'>,
): Promise<{ link: LinkTarget; key: string }> {
  const candidates = key === null ? Object.entries(parameters ?? {}) : [[null, key] as const];
  for (const [parameter, candidate] of candidates) {
    const link = await loadLink(service, domain, candidate);
    if (link === null) continue;
    const isNamed = parameter === null || (JSON.parse(link.viaParameters) as string[]).includes(parameter);
    if (isNamed) return { link, key: candidate };
  }
  const names = candidates.map(([, candidate]) => `${domain}/${candidate}`).join(', ');
  throw new ServiceError('NOT_FOUND', `No link ${JSON.stringify(excerpt(names))}`);
}

/** The host of a referring page; null without a valid URL. */
export function referrerHostOf(referrer: string | null | undefined): string | null {
  const host = referrer ? URL.parse(referrer)?.hostname : undefined;
  return host ? host.slice(0, 255) : null;
}

/**
 * Records a click with the visitor's hash. Returns the click's id.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function recordVisitor(service: Service, link: LinkTarget, visitor: Visitor): Promise<ClickId> {
  // one time for all: at the end of an hour, a click must not be known in one hour and counted in the next
  const at = service.clock();
  const visitorHash = await visitorHashFor(service, link.accountId, visitor, at);
  const { referrerHost, device, country } = visitor;
  const isRepeat = isRepeatVisit(service, { linkId: link.id, visitorHash, at });
  return recordClick(service, link, { referrerHost, device, country, visitorHash, isRepeat }, at);
}

/**
 * Records a click on a link. Returns the click's id.
 *
 * @param createdAt epoch milliseconds; now by default
 * @throws ServiceError `UNAVAILABLE`
 */
export async function recordClick(
  service: Service,
  { id: linkId, accountId, programId, partnerId }: Pick<LinkTarget, 'id' | 'accountId' | 'programId' | 'partnerId'>,
  details: ClickDetails,
  createdAt = service.clock(),
): Promise<ClickId> {
  const id = createClickId(createdAt);
  await storeClick(service, { id, accountId, programId, partnerId, linkId, createdAt, ...details });
  return id;
}

/** @param page the URL or origin of the page that reports the click */
function requireTrackedHost({ trackedHosts }: LinkTarget, page: string | null): void {
  const hosts = JSON.parse(trackedHosts) as string[];
  if (hosts.length === 0) return;
  const host = parseHost((page && URL.parse(page)?.host) || '');
  // earlier versions stored a final dot
  if (host !== null && hosts.some((tracked) => parseHost(tracked) === host)) return;
  const reporter = host === null ? 'A page without an origin' : JSON.stringify(host);
  throw new ServiceError('ORIGIN_NOT_ALLOWED', `${reporter} is not among the trackedHosts of the link's program`);
}
