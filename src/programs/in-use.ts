import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { requireKeptPartner } from './partners.ts';
import { requireProgramInUse } from './programs.ts';

/**
 * Checks a partner for a new link. A partner who is archived, or whose program is, gets no links.
 *
 * @throws ServiceError `INVALID_STATE`, `NOT_FOUND`
 */
export async function requireInUse(
  tx: Transaction,
  accountId: AccountId,
  { partnerId }: { partnerId: string },
): Promise<void> {
  const partner = await requireKeptPartner(tx, accountId, partnerId);
  await requireProgramInUse(tx, accountId, partner.programId);
  if (partner.archivedAt === null) return;
  const remedy = `restore them first (in the API: POST /api/partners/${partnerId}/unarchive)`;
  throw new ServiceError('INVALID_STATE', `The partner ${partnerId} is archived; ${remedy}`);
}
