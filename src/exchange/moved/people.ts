import { insideUnit } from '../../app/inside-unit.ts';
import type { PartnerId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import { findLinkAt } from '../../links/link-at.ts';
import { createLink } from '../../links/links.ts';
import { linkInput } from '../../links/schemas.ts';
import { importCustomer } from '../../payments/imports/import-customer.ts';
import { resolvePartner } from '../../programs/partner-by-email.ts';
import { createPartner, getPartner, listPartners, requireKeptPartner } from '../../programs/partners.ts';
import { partnerInput, partnerListQuery } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import type { Transaction } from '../../storage/database.ts';
import { refused } from '../manifest.ts';
import { findRecord, putRecord } from '../queries/imported-records.ts';
import { completePartner } from './complete-partner.ts';
import type { MovedCode, MovedCustomer, MovedLink, MovedPartner } from './facts.ts';
import { programIdOf } from './programs.ts';
import { type Applied, created, type MovedTarget, unchanged } from './target.ts';

/** By the source's id, then by e-mail address in its program; such a partner may get a tenant id, and stays otherwise. */
export async function applyPartner(target: MovedTarget, partner: MovedPartner): Promise<Applied> {
  const { tx, service, accountId, source } = target;
  const key = { source: source.name, kind: 'partner', sourceId: partner.id } as const;
  const record = await findRecord(tx, accountId, key);
  if (record !== undefined) return { ...unchanged, knownId: record.ownId };
  const { name, email, tenantId } = partner;
  const programId = await programIdOf(target, partner.programId);
  const input = parseInput(partnerInput, { name, email, tenantId, programId: programId ?? undefined });
  const find = async (archived: 'false' | 'true') => {
    const given = { email: input.email, archived, ...(programId === null ? {} : { programId }) };
    const { data } = await listPartners(service, accountId, parseInput(partnerListQuery, given));
    return data[0];
  };
  // what an archived partner earned there is still owed; of several programs, one in which they still earn comes first
  const known = (await find('false')) ?? (await find('true'));
  const { id: ownId } = known ?? (await createPartner(service, accountId, input));
  putRecord(tx, accountId, key, { ownId, state: null, amount: null, currency: null });
  return known === undefined ? created : { ...(await completePartner(target, ownId, input)), knownId: ownId };
}

/** Looks up what `keptPartnerOf` will ask for; see `Transaction.lookAhead`. */
export async function lookAheadToPartner(tx: Transaction, target: MovedTarget, sourceId: string): Promise<void> {
  const { service, accountId, source, partnersBy } = target;
  if (partnersBy === 'address') await resolvePartner(insideUnit(service, tx), accountId, sourceId);
  else await findRecord(tx, accountId, { source: source.name, kind: 'partner', sourceId });
}

/**
 * Our partner for the one whom a record names, and whom nobody deletes before the unit ends.
 *
 * @throws ServiceError as `partnerIdOf` and `resolvePartner`
 */
export async function keptPartnerOf(target: MovedTarget, sourceId: string) {
  const { tx, service, accountId, partnersBy } = target;
  const isNamed = partnersBy === 'address';
  const id = await (isNamed ? resolvePartner(service, accountId, sourceId) : partnerIdOf(target, sourceId));
  return requireKeptPartner(tx, accountId, id);
}

/** Our id of a partner of the source. @throws ServiceError `VALIDATION_ERROR` when the partner was not imported */
async function partnerIdOf({ tx, accountId, source }: MovedTarget, sourceId: string): Promise<PartnerId> {
  const found = await findRecord(tx, accountId, { source: source.name, kind: 'partner', sourceId });
  // a row with this id was created, and partners are never deleted from the table
  if (found !== undefined) return found.ownId as PartnerId;
  throw refused(
    `Its partner ${sourceId} was not imported: see what the report says of that partner, then import again`,
  );
}

/**
 * Guards what was imported for one partner before.
 *
 * @throws ServiceError `CONFLICT` when it is for another one now: two records have the same id, or it was reassigned
 */
export async function requireSamePartner(
  { service, accountId }: MovedTarget,
  { before, now }: { before: string; now: string },
): Promise<void> {
  if (before === now) return;
  const [one, other] = await Promise.all([before, now].map((id) => getPartner(service, accountId, id)));
  throw new ServiceError(
    'CONFLICT',
    `It was imported for ${one?.name} (${before}), and is for ${other?.name} (${now}) now: give each its own id if ` +
      'there are two; otherwise settle the difference with adjustments',
  );
}

/** By domain and key: a known link of the same partner stays as it is. @throws ServiceError `VALIDATION_ERROR`, `CONFLICT` */
export async function applyLink(target: MovedTarget, { partnerId, domain, key, url }: MovedLink): Promise<Applied> {
  const { service, accountId } = target;
  const { id: ownId } = await keptPartnerOf(target, partnerId);
  const input = parseInput(linkInput, { partnerId: ownId, domain, key, url });
  const known = await findLinkAt(service, accountId, { domain: input.domain, key });
  if (known === null) {
    await createLink(service, accountId, input);
    return created;
  }
  if (known !== 'of another account' && known.partnerId === ownId) return unchanged;
  throw new ServiceError('CONFLICT', `key: ${JSON.stringify(key)} is the link of another partner`);
}

/** Adds a discount code to those of its partner. */
export async function applyCode(
  target: MovedTarget,
  { partnerId, code, otherCodes = [] }: MovedCode,
): Promise<Applied> {
  const ownId = await partnerIdOf(target, partnerId);
  return completePartner(target, ownId, { discountCodes: [code, ...otherCodes] });
}

/** By external id: a known customer of the same partner keeps its profile. */
export async function applyCustomer(target: MovedTarget, customer: MovedCustomer): Promise<Applied> {
  const { externalId, email, name, atProcessor } = customer;
  const { id: partnerId } = await keptPartnerOf(target, customer.partnerId);
  const imported = { externalId, partnerId, email, name, atProcessor };
  return { result: await importCustomer(target.service, target.accountId, imported), reason: null };
}
