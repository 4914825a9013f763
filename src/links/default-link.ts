import type { NewLinkHolder } from '../app/service.ts';
import type { Transaction } from '../storage/database.ts';
import { isLinkKey } from './keys.ts';
import { leadsToItself } from './leads-to-itself.ts';
import { addLinkWithGeneratedKey, hostOf, tryLinkKey } from './new-link.ts';

const KEY_CHARACTERS_MAX = 30;

/**
 * Adds a partner's first link on the service's own host, in the unit of work that adds the partner. The key is made
 * from the partner's name if that is free and not the destination, and is generated otherwise.
 */
export async function addDefaultLink(
  tx: Transaction,
  baseUrl: string,
  { id: partnerId, accountId, programId, name, createdAt }: NewLinkHolder,
  url: string,
): Promise<void> {
  const owner = { accountId, programId, partnerId, partnerName: name };
  const link = { ...owner, domain: hostOf(baseUrl), url, commission: null, createdAt, archivedAt: null };
  const key = keyFromName(name);
  const isUsable = key !== null && !leadsToItself({ ...link, key });
  if (isUsable && (await tryLinkKey(tx, link, key)) !== null) return;
  await addLinkWithGeneratedKey(tx, link);
}

/** `Ana Álvarez` → `ana-alvarez`; null when no part of the name can form a key. */
export function keyFromName(name: string): string | null {
  const plain = name.normalize('NFKD').replaceAll(/\p{Mark}/gu, '');
  const words = plain.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const key = words.replace(/^-/, '').slice(0, KEY_CHARACTERS_MAX).replace(/-$/, '');
  return isLinkKey(key) ? key : null;
}
