import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { createClickId } from '../ids.ts';
import { findLinkTarget, insertClick, type LinkTarget } from '../storage/queries/clicks.ts';
import { optional, parseInput, text } from './input.ts';
import type { Service } from './service.ts';

const clickInput = z.object({
  domain: text().transform((domain) => domain.toLowerCase()),
  key: text(),
  url: optional(text(2048)),
  referrer: optional(text(2048)),
});

/** What is kept of a visitor: nothing that names a person. */
export interface Visit {
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  visitorHash: string | null;
}

/**
 * A visit of a `?via=<key>` link, told by the browser that handled it; an unknown link leaves nothing behind.
 *
 * @returns the click's id
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`
 */
export async function trackClick(service: Service, body: unknown, visit: Omit<Visit, 'referrerHost'>): Promise<string> {
  const { domain, key, referrer } = parseInput(clickInput, body);
  const link = await findLink(service, domain, key);
  if (link === null) throw new ServiceError('NOT_FOUND', `There is no link ${JSON.stringify(`${domain}/${key}`)}`);
  return recordClick(service, link, { ...visit, referrerHost: hostOf(referrer) });
}

/** The host of a referring page; null for none or what is no URL. */
export function hostOf(referrer: string | null | undefined): string | null {
  const host = referrer ? URL.parse(referrer)?.hostname : undefined;
  return host ? host.slice(0, 255) : null;
}

/** The link that a visitor follows on this domain (lower case, with its port where it has one); null for none. */
export async function findLink(service: Service, domain: string, key: string): Promise<LinkTarget | null> {
  return (await service.database.read((tx) => findLinkTarget(tx, domain, key))) ?? null;
}

/** Records a visit through a link; returns the click's id. */
export async function recordClick(service: Service, link: LinkTarget, visit: Visit): Promise<string> {
  const now = service.clock();
  const id = createClickId(now);
  const click = { id, accountId: link.accountId, linkId: link.id, ...visit, createdAt: now };
  await service.database.write((tx) => insertClick(tx, click));
  return id;
}

/** The link's destination with the click's id; its own query and fragment stay. */
export function destinationOf(url: string, clickId: string): string {
  const destination = new URL(url);
  destination.searchParams.set('svc_id', clickId);
  return destination.toString();
}
