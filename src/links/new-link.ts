import { claimKeys } from '../app/claims.ts';
import { createId, randomBase62 } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { isReservedKey } from './keys.ts';
import { insertLink, type Link } from './queries/links.ts';

const GENERATED_KEY_CHARACTERS = 7;
/** There are 62^7 keys. A second attempt is rare, and a fifth means that something else is wrong. */
const GENERATED_KEY_ATTEMPTS_MAX = 5;

type NewLink = Omit<Link, 'id' | 'key'>;

/** Adds a link with this key; null when domain and key are taken. */
export async function tryLinkKey(tx: Transaction, link: NewLink, key: string): Promise<Link | null> {
  const added = { ...link, id: createId('lnk'), key };
  await claimLinkKey(tx, added);
  return (await insertLink(tx, added)) ? added : null;
}

/** @throws Error when no key is free, which only a bug can cause */
export async function addLinkWithGeneratedKey(tx: Transaction, link: NewLink): Promise<Link> {
  for (let attempt = 0; attempt < GENERATED_KEY_ATTEMPTS_MAX; attempt += 1) {
    const added = { ...link, id: createId('lnk'), key: randomBase62(GENERATED_KEY_CHARACTERS) };
    if (!isReservedKey(added.key) && (await insertLink(tx, added))) return added;
  }
  throw new Error(`Found no free key on ${link.domain}`);
}

/** Call it in units that check whether domain and key are free, so that no other unit takes them before they end. */
export function claimLinkKey(tx: Transaction, { domain, key }: Pick<Link, 'domain' | 'key'>): Promise<void> {
  return tx.claim(() => [claimKeys.linkKey(domain, key)]);
}

/** `https://refer.example.com` → `refer.example.com`: the domain of links that do not specify one. */
export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}
