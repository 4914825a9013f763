import type { Transaction } from '../storage/database.ts';
import { findReservedLinks } from './queries/reserved.ts';

const LINKS_NAMED_MAX = 20;

/**
 * Stops an upgrade. A link whose key this version reserves would lead to a page of the service, and its visitors would
 * be lost without anybody noticing.
 *
 * @throws Error that names the links
 */
export async function refuseReservedLinks(tx: Pick<Transaction, 'all'>): Promise<void> {
  const links = await findReservedLinks(tx, LINKS_NAMED_MAX);
  if (links.length === 0) return;
  const named = links.map(({ id, domain, key }) => `${domain}/${key} (${id})`).join(', ');
  throw new Error(
    `This version uses paths that are keys of links: ${named}. Nothing was changed. Start the earlier version again, give ` +
      'each of these links another key with PATCH /api/links/:id {"key": "…"}, tell its partner, and then upgrade',
  );
}
