import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { ServiceError } from '../errors.ts';
import { createClickId } from '../ids.ts';
import { storeClick } from './click-batch.ts';
import type { LinkTarget } from './queries/clicks.ts';
import { loadLink } from './targets.ts';
import { type VisitorTraits, visitorHashFor } from './visitor-hash.ts';

const clickInput = z.object({
  domain: text(),
  key: text(),
  url: optional(text(2048)),
  referrer: optional(text(2048)),
});

/** What is kept of a visit: nothing that names a person. */
export interface Visit {
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  visitorHash: string | null;
}

/** Whoever comes through a link: what of them is kept, and what only makes their hash. */
export interface Visitor extends Omit<Visit, 'visitorHash'>, VisitorTraits {}

/**
 * A visit of a `?via=<key>` link, told by the browser that handled it; an unknown link leaves nothing behind.
 *
 * @param origin the page's origin as the browser named it, null where no browser did; it is believed before `url`
 * @param visitor null for whoever is no person: then no click is recorded
 * @returns the click's id, null where none was recorded
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the link; `ORIGIN_NOT_ALLOWED` for a page that the link's
 * program does not list among its tracked hosts; `UNAVAILABLE`
 */
export async function trackClick(
  service: Service,
  body: unknown,
  origin: string | null,
  visitor: Omit<Visitor, 'referrerHost'> | null,
): Promise<string | null> {
  const { domain, key, url, referrer } = parseInput(clickInput, body);
  const link = await loadLink(service, domain, key);
  if (link === null) throw new ServiceError('NOT_FOUND', `There is no link ${JSON.stringify(`${domain}/${key}`)}`);
  requireTrackedHost(link, origin ?? url);
  return visitor && recordVisitor(service, link, { ...visitor, referrerHost: hostOf(referrer) });
}

/** The host of a referring page; null for none or what is no URL. */
export function hostOf(referrer: string | null | undefined): string | null {
  const host = referrer ? URL.parse(referrer)?.hostname : undefined;
  return host ? host.slice(0, 255) : null;
}

/**
 * Records a visit with the visitor's hash; returns the click's id.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function recordVisitor(service: Service, link: LinkTarget, visitor: Visitor): Promise<string> {
  const visitorHash = await visitorHashFor(service, link.accountId, visitor);
  const { referrerHost, device, country } = visitor;
  return recordClick(service, link, { referrerHost, device, country, visitorHash });
}

/**
 * Records a visit through a link; returns the click's id.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function recordClick(
  service: Service,
  link: Pick<LinkTarget, 'id' | 'accountId'>,
  { referrerHost, device, country, visitorHash }: Visit,
): Promise<string> {
  const createdAt = service.clock();
  const id = createClickId(createdAt);
  const { id: linkId, accountId } = link;
  await storeClick(service, {
    id,
    accountId,
    linkId,
    referrerHost,
    device,
    country,
    visitorHash,
    createdAt,
  });
  return id;
}

/** @param page the address or origin of the page that claims the click */
function requireTrackedHost({ trackedHosts }: LinkTarget, page: string | null): void {
  const hosts = JSON.parse(trackedHosts) as string[];
  if (hosts.length === 0) return;
  const host = (page && URL.parse(page)?.host) || null;
  if (host !== null && hosts.includes(host)) return;
  const claimant = host === null ? 'A page that does not say where it is' : JSON.stringify(host);
  throw new ServiceError('ORIGIN_NOT_ALLOWED', `${claimant} is not among the trackedHosts of the link's program`);
}
