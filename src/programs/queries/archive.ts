import type { AccountId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** Archives a partner, or restores them. */
export async function setPartnerArchived(tx: Transaction, id: PartnerId, archivedAt: number | null): Promise<void> {
  await tx.run('UPDATE partners SET archived_at = @archivedAt WHERE id = @id', { id, archivedAt });
}

/**
 * Waits for units that keep the partner; later ones wait for this unit, which must run `alone`. Read the partner's history
 * afterwards.
 */
export async function lockPartner(tx: Transaction, id: PartnerId): Promise<void> {
  await tx.get('SELECT 1 AS one FROM partners WHERE id = @id /* postgres: FOR UPDATE */', { id });
}

/** Deletes a partner without history. Other partners may then take the e-mail address, tenant id and codes. */
export async function deletePartnerRow(tx: Transaction, id: PartnerId, now: number): Promise<void> {
  await tx.run('DELETE FROM partner_discount_codes WHERE partner_id = @id', { id });
  await tx.run(
    `UPDATE partners SET deleted_at = @now, name = '', email = id, tenant_id = NULL, commission = NULL,
       payout_details = NULL, sealed_payout_details = NULL
     WHERE id = @id`,
    { id, now },
  );
}

export function findDeletedPartner(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<{ id: PartnerId }>(
    'SELECT id FROM partners WHERE account_id = @accountId AND id = @id AND deleted_at IS NOT NULL',
    { accountId, id },
  );
}

/** The kinds of rows that refer to a partner. */
export function findPartnerHistory(tx: Transaction, id: PartnerId): Promise<string[]> {
  const kinds = {
    links: 'links l WHERE l.partner_id = @id AND l.deleted_at IS NULL',
    clicks: 'result_days r WHERE r.owner_id = @id',
    // in index order, so that PostgreSQL does not read other partners' rows until it finds one
    leads: 'leads e WHERE e.partner_id = @id ORDER BY e.created_at, e.id',
    sales: 'sales s WHERE s.partner_id = @id ORDER BY s.created_at, s.id',
    'ledger entries': 'ledger_entries e WHERE e.partner_id = @id ORDER BY e.created_at, e.id',
    payouts: 'payouts o WHERE o.partner_id = @id ORDER BY o.id',
  };
  return kindsFound(tx, kinds, id);
}

/** Archives a program, or restores it. */
export async function setProgramArchived(tx: Transaction, id: ProgramId, archivedAt: number | null): Promise<void> {
  await tx.run('UPDATE programs SET archived_at = @archivedAt WHERE id = @id', { id, archivedAt });
}

/** Like `lockPartner`, for a program. */
export async function lockProgram(tx: Transaction, id: ProgramId): Promise<void> {
  await tx.get('SELECT 1 AS one FROM programs WHERE id = @id /* postgres: FOR UPDATE */', { id });
}

/** Deletes a program that nothing refers to. */
export async function deleteProgramRow(tx: Transaction, id: ProgramId, now: number): Promise<void> {
  await tx.run('DELETE FROM program_origins WHERE program_id = @id', { id });
  await tx.run(
    `UPDATE programs SET deleted_at = @now, name = '', description = '', default_url = NULL, dead_link_url = NULL
     WHERE id = @id`,
    { id, now },
  );
}

/** The kinds of rows that refer to a program. */
export function findProgramHistory(tx: Transaction, id: ProgramId): Promise<string[]> {
  const kinds = {
    // in index order, so that PostgreSQL does not read other programs' rows until it finds one
    partners: 'partners p WHERE p.program_id = @id AND p.deleted_at IS NULL ORDER BY p.email',
    'webhook endpoints': 'webhook_endpoints w WHERE w.program_id = @id AND w.deleted_at IS NULL',
  };
  return kindsFound(tx, kinds, id);
}

/** The kinds that have a row for this id. */
async function kindsFound(tx: Transaction, kinds: Record<string, string>, id: string): Promise<string[]> {
  const found: string[] = [];
  for (const [kind, rows] of Object.entries(kinds)) {
    if ((await tx.get(`SELECT 1 AS one FROM ${rows} LIMIT 1`, { id })) !== undefined) found.push(kind);
  }
  return found;
}
