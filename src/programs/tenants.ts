import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { resolveProgram } from './programs.ts';
import { findPartnerByTenant, findPartnerIdsByTenant } from './queries/partners.ts';

/** The partners whose rows a list may contain according to its filters; null for all, empty for none. */
export async function partnerIdsOf(
  tx: Transaction,
  accountId: AccountId,
  { partnerId, tenantId }: { partnerId: string | null; tenantId: string | null },
): Promise<string[] | null> {
  if (tenantId === null) return partnerId === null ? null : [partnerId];
  const ids: string[] = await findPartnerIdsByTenant(tx, accountId, tenantId);
  return partnerId === null ? ids : ids.filter((id) => id === partnerId);
}

/**
 * The partner with the caller's own id, which may name one in each program; undefined when there is none.
 *
 * @throws ServiceError like `resolveProgram`, when no program is given and the id names several partners
 */
export async function findPartnerIdOfTenant(
  tx: Transaction,
  accountId: AccountId,
  tenantId: string,
  programId: string | null,
): Promise<string | undefined> {
  const ids = await findPartnerIdsByTenant(tx, accountId, tenantId);
  if (programId === null && ids.length < 2) return ids[0];
  const ofProgram = await resolveProgram(tx, accountId, programId);
  return (await findPartnerByTenant(tx, ofProgram, tenantId))?.id;
}
