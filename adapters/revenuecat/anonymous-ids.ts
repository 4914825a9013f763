import { ENTRIES_MAX } from '../contract/long-list.ts';

/** The lists of every app user id that a customer ever had: a customer gets an anonymous id with each installation. */
const LISTS_OF_IDS = ['aliases', 'transferred_from', 'transferred_to', 'redeemed_from', 'redeemed_by'];

/** True for an app user id that RevenueCat made up. */
export function isAnonymous(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith('$RCAnonymousID:');
}

/** Removes the last anonymous ids from lists of an event that are too long to be read, so that they cost nobody a purchase. */
export function shortenLists(event: unknown): void {
  if (typeof event !== 'object' || event === null) return;
  const members = event as Record<string, unknown>;
  for (const name of LISTS_OF_IDS) {
    const list = members[name];
    if (Array.isArray(list) && list.length > ENTRIES_MAX) members[name] = shortened(list);
  }
}

function shortened(ids: unknown[]): unknown[] {
  const others = ids.filter((id) => !isAnonymous(id));
  return [...others, ...ids.filter(isAnonymous)].slice(0, ENTRIES_MAX);
}
