import type { AccountId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Commission } from '../../core/terms.ts';
import type { PayoutDetailsView } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';

export interface Partner {
  id: PartnerId;
  accountId: AccountId;
  programId: ProgramId;
  name: string;
  /** Lower case. */
  email: string;
  /** The caller's own id of the partner. */
  tenantId: string | null;
  /** As entered, sorted case-insensitively. */
  discountCodes: string[];
  /** Overrides the program's commission. */
  commission: Commission | null;
  /** How the partner wants to be paid, masked. */
  payoutDetails: PayoutDetailsView | null;
  createdAt: number;
  /** When the partner itself was archived. The program may be archived as well. */
  archivedAt: number | null;
}

export type PartnerRow = Omit<Partner, 'commission' | 'discountCodes' | 'payoutDetails'> & {
  commission: string | null;
  payoutDetails: string | null;
  /** One code per line; null when there are none. */
  discountCodes: string | null;
};

/** Without a condition; the partner is `p`. */
export const SELECT_PARTNER = `
  SELECT p.id, p.account_id AS "accountId", p.program_id AS "programId", p.name, p.email, p.tenant_id AS "tenantId",
    p.commission, p.payout_details AS "payoutDetails", p.created_at AS "createdAt", p.archived_at AS "archivedAt",
    (SELECT string_agg(d.code, '\n') FROM partner_discount_codes d
     WHERE d.partner_id = p.id) AS "discountCodes"
  FROM partners p`;

/** Adds a partner without its codes. Returns false when its e-mail address or tenant id is taken in the program. */
export async function insertPartner(tx: Transaction, partner: Partner): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO partners (id, account_id, program_id, name, email, tenant_id, commission, status, created_at)
     VALUES (@id, @accountId, @programId, @name, @email, @tenantId, @commission, 'active', @createdAt)
     ON CONFLICT DO NOTHING`,
    asParameters(partner),
  );
  return changed === 1;
}

/** Updates a partner except its codes. The caller has checked that the address and tenant id are free. */
export async function updatePartner(tx: Transaction, partner: Partner): Promise<void> {
  await tx.run(
    `UPDATE partners SET name = @name, email = @email, tenant_id = @tenantId, commission = @commission
     WHERE account_id = @accountId AND id = @id`,
    asParameters(partner),
  );
}

/** Replaces the partner's codes. Returns the first code that belongs to another partner of the account, or null. */
export async function replaceDiscountCodes(tx: Transaction, partner: Partner): Promise<string | null> {
  const { id, accountId } = partner;
  await tx.run('DELETE FROM partner_discount_codes WHERE partner_id = @id', { id });
  for (const code of partner.discountCodes) {
    const changed = await tx.run(
      `INSERT INTO partner_discount_codes (account_id, code_lower, code, partner_id)
       VALUES (@accountId, @codeLower, @code, @id) ON CONFLICT DO NOTHING`,
      { accountId, codeLower: code.toLowerCase(), code, id },
    );
    if (changed === 0) return code;
  }
  return null;
}

/** One partner of this account. */
export async function findPartner(tx: Transaction, accountId: AccountId, id: string): Promise<Partner | undefined> {
  const row = await tx.get<PartnerRow>(
    `${SELECT_PARTNER} WHERE p.account_id = @accountId AND p.id = @id AND p.deleted_at IS NULL`,
    {
      accountId,
      id,
    },
  );
  return row && asPartner(row);
}

/** Like `findPartner`; nobody deletes the partner before this unit ends. */
export async function keepPartner(tx: Transaction, accountId: AccountId, id: string): Promise<Partner | undefined> {
  const row = await tx.get<PartnerRow>(
    `${SELECT_PARTNER} WHERE p.account_id = @accountId AND p.id = @id AND p.deleted_at IS NULL
     /* postgres: FOR KEY SHARE OF p */`,
    { accountId, id },
  );
  return row && asPartner(row);
}

/** The partner of this program with this lower-case e-mail address. */
export async function findPartnerByEmail(tx: Transaction, programId: ProgramId, email: string) {
  const row = await tx.get<PartnerRow>(`${SELECT_PARTNER} WHERE p.program_id = @programId AND p.email = @email`, {
    programId,
    email,
  });
  return row && asPartner(row);
}

/** The partners with this lower-case e-mail address in the account's programs, at most one per program. */
export function findPartnersByEmail(tx: Transaction, accountId: AccountId, email: string) {
  return tx.all<{ id: PartnerId; programName: string }>(
    `SELECT p.id, g.name AS "programName" FROM programs g CROSS JOIN partners p
     WHERE g.account_id = @accountId AND p.program_id = g.id AND p.email = @email`,
    { accountId, email },
  );
}

/** The partner of this program with this tenant id. */
export async function findPartnerByTenant(tx: Transaction, programId: ProgramId, tenantId: string) {
  const row = await tx.get<PartnerRow>(
    `${SELECT_PARTNER} WHERE p.program_id = @programId AND p.tenant_id = @tenantId`,
    {
      programId,
      tenantId,
    },
  );
  return row && asPartner(row);
}

/** The account's partners with this tenant id, at most one per program. */
export async function findPartnerIdsByTenant(tx: Transaction, accountId: AccountId, tenantId: string) {
  const rows = await tx.all<{ id: PartnerId }>(
    `SELECT p.id FROM programs g JOIN partners p ON p.program_id = g.id
     WHERE g.account_id = @accountId AND p.tenant_id = @tenantId`,
    { accountId, tenantId },
  );
  return rows.map(({ id }) => id);
}

function asParameters({ discountCodes: _codes, payoutDetails: _details, commission, ...partner }: Partner) {
  return { ...partner, commission: commission && JSON.stringify(commission) };
}

export function asPartner(row: PartnerRow): Partner {
  return {
    ...row,
    // sorted here, because the engines' collations differ
    discountCodes: (row.discountCodes?.split('\n') ?? []).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    commission: row.commission === null ? null : (JSON.parse(row.commission) as Commission),
    payoutDetails: row.payoutDetails === null ? null : (JSON.parse(row.payoutDetails) as PayoutDetailsView),
  };
}
