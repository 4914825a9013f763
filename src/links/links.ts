import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { httpUrlField, optional, parseInput, text } from '../app/fields.ts';
import { hostField } from '../app/host-field.ts';
import { mergePatch } from '../app/merge-patch.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import { periodFields, requirePeriod } from '../app/period-fields.ts';
import type { Service } from '../app/service.ts';
import type { Period } from '../core/time.ts';
import { isoTime } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId, randomBase62 } from '../ids.ts';
import { requirePartner } from '../programs/partners.ts';
import { commissionField } from '../programs/terms-fields.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import { isReservedKey, LINK_KEY, LINK_KEY_CHARACTERS_MAX } from './keys.ts';
import { findLink, findLinkId, findLinks, insertLink, type Link, updateLink } from './queries/links.ts';
import { findLinkResults, type LinkResults, noResults } from './queries/results.ts';
import { invalidateLink } from './targets.ts';

const MADE_KEY_CHARACTERS = 7;
/** 62^7 keys: a second attempt is rare, a fifth one means that something else is wrong. */
const MADE_KEY_ATTEMPTS_MAX = 5;

const keyField = text(LINK_KEY_CHARACTERS_MAX)
  .regex(LINK_KEY, 'must begin with a letter or digit and hold only letters, digits and . _ ~ -')
  .refine((key) => !isReservedKey(key), 'is reserved for the service itself; choose another');

const linkInput = z.object({
  programId: optional(text()),
  partnerId: text(),
  domain: optional(hostField),
  key: optional(keyField),
  url: httpUrlField,
  commission: optional(commissionField),
});

const linkPageInput = z.object({ ...pageFields('lnk'), ...periodFields });
const linkPeriodInput = z.object(periodFields);

const ALL_TIME: Period = { from: null, to: null };

type CountedLink = Link & LinkResults;

/** A link as it is answered. */
export type LinkResource = Omit<CountedLink, 'accountId' | 'createdAt'> & {
  /** What a partner shares. */
  shortLink: string;
  createdAt: string;
};

/**
 * A link in its partner's program; without `domain` on the service's own host, without `key` under a made one.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner; `CONFLICT` when domain and key are taken
 */
export function createLink(service: Service, accountId: string, body: unknown): Promise<LinkResource> {
  const { domain, key, ...input } = parseInput(linkInput, body);
  const now = service.clock();
  return service.database.write(async (tx) => {
    const programId = await programOfPartner(tx, accountId, input.partnerId, input.programId);
    const link = { ...input, programId, accountId, domain: domain ?? ownHost(service), createdAt: now };
    const added = key === null ? await addUnderMadeKey(tx, link) : await addUnderKey(tx, link, key);
    return asResource(service, { ...added, ...noResults() });
  });
}

/**
 * The newest first, each with what was recorded of it from `from` on and before `to`; of all time without them.
 *
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function listLinks(service: Service, accountId: string, query: unknown): Promise<Page<LinkResource>> {
  const { limit, cursor, ...period } = parseInput(linkPageInput, query);
  requirePeriod(period);
  const show = (link: CountedLink) => asResource(service, link);
  return service.database.read((tx) => {
    const find = async (bounds: PageBounds) => {
      return withResults(tx, accountId, await findLinks(tx, accountId, bounds), period);
    };
    return pageOf({ limit, cursor }, find, show);
  });
}

/**
 * One link, with what was recorded of it in a period, as `listLinks`.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`
 */
export function getLink(service: Service, accountId: string, id: string, query: unknown): Promise<LinkResource> {
  const period = requirePeriod(parseInput(linkPeriodInput, query));
  return service.database.read(async (tx) => {
    const link = await requireLink(tx, accountId, id);
    return asResource(service, await withItsResults(tx, link, period));
  });
}

/**
 * A JSON Merge Patch; null takes the commission away and leaves domain and key as they are. Another partner of the
 * same program may take the link over: later clicks and leads are then this partner's.
 *
 * @throws ServiceError `NOT_FOUND` for the link or partner, `VALIDATION_ERROR`, `CONFLICT` when domain and key are taken
 */
export async function changeLink(
  service: Service,
  accountId: string,
  id: string,
  patch: unknown,
): Promise<LinkResource> {
  const { before, changed } = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.link(id)]);
    const link = await requireLink(tx, accountId, id);
    const input = parseInput(linkInput, mergePatch(link, patch));
    const programId = await programOfPartner(tx, accountId, input.partnerId, input.programId ?? link.programId);
    if (programId !== link.programId) {
      throw validationError([{ path: 'programId', message: 'cannot be changed; create another link' }]);
    }
    const changed = { ...link, ...input, programId, domain: input.domain ?? link.domain, key: input.key ?? link.key };
    await claimKey(tx, changed);
    const holder = await findLinkId(tx, changed.domain, changed.key);
    if (holder !== undefined && holder !== id) throw keyTaken(changed);
    await updateLink(tx, changed);
    return { before: link, changed: await withItsResults(tx, changed, ALL_TIME) };
  });
  invalidateLink(service, before);
  return asResource(service, changed);
}

/** The links in their order; they come sorted by id. */
async function withResults(
  tx: Transaction,
  accountId: string,
  links: readonly Link[],
  period: Period,
): Promise<CountedLink[]> {
  const [newest, oldest] = [links.at(0), links.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const range = { accountId, firstId: oldest.id, lastId: newest.id };
  const results = await findLinkResults(tx, range, period);
  return links.map((link) => ({ ...link, ...(results.get(link.id) ?? noResults()) }));
}

async function withItsResults(tx: Transaction, link: Link, period: Period): Promise<CountedLink> {
  const results = await findLinkResults(tx, { accountId: link.accountId, firstId: link.id, lastId: link.id }, period);
  return { ...link, ...(results.get(link.id) ?? noResults()) };
}

async function addUnderKey(tx: Transaction, link: Omit<Link, 'id' | 'key'>, key: string): Promise<Link> {
  const added = { ...link, id: createId('lnk'), key };
  await claimKey(tx, added);
  if (!(await insertLink(tx, added))) throw keyTaken(added);
  return added;
}

async function addUnderMadeKey(tx: Transaction, link: Omit<Link, 'id' | 'key'>): Promise<Link> {
  for (let attempt = 0; attempt < MADE_KEY_ATTEMPTS_MAX; attempt += 1) {
    const added = { ...link, id: createId('lnk'), key: randomBase62(MADE_KEY_CHARACTERS) };
    if (!isReservedKey(added.key) && (await insertLink(tx, added))) return added;
  }
  throw new Error(`No free key was found on ${link.domain}`);
}

/** A change looks whether domain and key are free before it writes; until its end nobody else may take them. */
function claimKey(tx: Transaction, { domain, key }: Link): Promise<void> {
  return tx.claim(() => [claimKeys.linkKey(domain, key)]);
}

function keyTaken({ domain, key }: Link): ServiceError {
  return new ServiceError('CONFLICT', `key: ${JSON.stringify(key)} is taken on ${domain}; choose another`);
}

async function programOfPartner(
  tx: Transaction,
  accountId: string,
  partnerId: string,
  programId: string | null,
): Promise<string> {
  const partner = await requirePartner(tx, accountId, partnerId);
  if (programId === null || programId === partner.programId) return partner.programId;
  const message = `must be the program of the partner, ${partner.programId}`;
  throw validationError([{ path: 'programId', message }]);
}

async function requireLink(tx: Transaction, accountId: string, id: string): Promise<Link> {
  const link = await findLink(tx, accountId, id);
  if (link === undefined) throw notFound('link', id);
  return link;
}

function asResource(service: Service, { accountId: _account, createdAt, ...link }: CountedLink): LinkResource {
  const { domain, key } = link;
  const protocol = domain === ownHost(service) ? new URL(service.baseUrl).protocol : 'https:';
  return { ...link, shortLink: `${protocol}//${domain}/${key}`, createdAt: isoTime(createdAt) };
}

/** `BASE_URL` without its scheme. */
function ownHost(service: Service): string {
  return new URL(service.baseUrl).host;
}
