import type { Service } from '../app/service.ts';
import type { AccountId, LinkId } from '../core/ids.ts';
import { findLinkTo } from './queries/links.ts';

/** The id of a partner's newest link in use that leads exactly to `url`, on `domain` or on any; null without one. */
export async function findLinkIdTo(
  { database }: Service,
  accountId: AccountId,
  destination: { partnerId: string; url: string; domain: string | null },
): Promise<LinkId | null> {
  return (await database.read((tx) => findLinkTo(tx, accountId, destination))) ?? null;
}
