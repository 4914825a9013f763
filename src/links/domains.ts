import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { countLinksByDomain } from './queries/links.ts';

/** The domains of the account's links, sorted by name, each with its number of links. */
export function linkDomains({ database }: Service, accountId: AccountId): Promise<{ domain: string; count: number }[]> {
  return database.report((tx) => countLinksByDomain(tx, accountId));
}
