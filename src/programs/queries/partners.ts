import type { AccountId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Commission } from '../../core/terms.ts';
import type { PayoutDetailsView } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  isSet,
  listParameters,
  type PageBounds,
  pageSql,
  walkOf,
  walkOfPeriod,
} from '../../storage/list-filters.ts';

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

type PartnerRow = Omit<Partner, 'commission' | 'discountCodes' | 'payoutDetails'> & {
  commission: string | null;
  payoutDetails: string | null;
  /** One code per line; null when there are none. */
  discountCodes: string | null;
};

const SELECT = `
  SELECT p.id, p.account_id AS "accountId", p.program_id AS "programId", p.name, p.email, p.tenant_id AS "tenantId",
    p.commission, p.payout_details AS "payoutDetails", p.created_at AS "createdAt", p.archived_at AS "archivedAt",
    (SELECT string_agg(d.code, '\n') FROM partner_discount_codes d
     WHERE d.partner_id = p.id) AS "discountCodes"
  FROM partners p`;

/** Whether the partner `p` or its program is archived. */
const IS_ARCHIVED = `CASE WHEN p.archived_at IS NULL
  AND (SELECT a.archived_at FROM programs a WHERE a.id = p.program_id) IS NULL THEN 'no' ELSE 'yes' END`;

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
    `${SELECT} WHERE p.account_id = @accountId AND p.id = @id AND p.deleted_at IS NULL`,
    {
      accountId,
      id,
    },
  );
  return row && asPartner(row);
}

/** The partner of this program with this lower-case e-mail address. */
export async function findPartnerByEmail(tx: Transaction, programId: ProgramId, email: string) {
  const row = await tx.get<PartnerRow>(`${SELECT} WHERE p.program_id = @programId AND p.email = @email`, {
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
  const row = await tx.get<PartnerRow>(`${SELECT} WHERE p.program_id = @programId AND p.tenant_id = @tenantId`, {
    programId,
    tenantId,
  });
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

const startsWith = (text: string) => `substr(LOWER(${text}), 1, LENGTH(@search)) = @search`;

const OF_PROGRAMS = 'p.program_id IN (SELECT g.id FROM programs g WHERE g.account_id = @accountId)';

/** An address or tenant id is unique within a program. A search, in lower case, reads all partners of the account. */
const LIST = {
  alias: 'p',
  columns: { email: 'p.email', tenantId: 'p.tenant_id', programId: 'p.program_id', archived: IS_ARCHIVED },
  walks: {
    email: walkOf('p', `${OF_PROGRAMS} AND p.email = @email`),
    tenantId: walkOf('p', `${OF_PROGRAMS} AND p.tenant_id = @tenantId`),
    period: walkOfPeriod('p'),
  },
  narrow: { time: 'p.created_at', columns: {} },
};

/** Letters beyond ASCII in one search whose capitals are found as well; a Cyrillic name has about a dozen. */
const LETTERS_MAX = 20;

/**
 * LOWER leaves letters beyond ASCII as they are on SQLite, and on PostgreSQL with the locale C. So those that the search
 * contains are replaced here; the others cannot match anyway.
 */
const NAME_IN_LOWER_CASE = Array.from({ length: LETTERS_MAX }, (_, index) => index).reduce(
  (text, index) => `REPLACE(${text}, @capital${index}, @letter${index})`,
  'p.name',
);

/** The capitals of the letters beyond ASCII in `search`, which is in lower case. Unused parameters replace nothing. */
function letterParameters(search: string): Record<string, string> {
  const letters = [...new Set(search)].filter((letter) => letter > '\u007f' && [...letter.toUpperCase()].length === 1);
  return Object.fromEntries(
    Array.from({ length: LETTERS_MAX }, (_, index) => letters[index] ?? '').flatMap((letter, index) => [
      [`capital${index}`, letter.toUpperCase()],
      [`letter${index}`, letter],
    ]),
  );
}

const OF_SEARCH = ` AND (${startsWith(NAME_IN_LOWER_CASE)} OR ${startsWith('p.email')})`;

/**
 * Newest first. Filters: `email tenantId programId archived search`, of which `email` and `search` are in lower case.
 */
export async function findPartners(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<Partner[]> {
  const rows = await tx.all<PartnerRow>(
    `${SELECT} WHERE p.deleted_at IS NULL${isSet(filters, 'search') ? OF_SEARCH : ''} AND ${pageSql(filters, LIST)}`,
    {
      accountId,
      ...listParameters(filters, bounds),
      ...(isSet(filters, 'search') && letterParameters(filters.search ?? '')),
    },
  );
  return rows.map(asPartner);
}

function asParameters({ discountCodes: _codes, payoutDetails: _details, commission, ...partner }: Partner) {
  return { ...partner, commission: commission && JSON.stringify(commission) };
}

function asPartner(row: PartnerRow): Partner {
  return {
    ...row,
    // sorted here, because the engines' collations differ
    discountCodes: (row.discountCodes?.split('\n') ?? []).sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    commission: row.commission === null ? null : (JSON.parse(row.commission) as Commission),
    payoutDetails: row.payoutDetails === null ? null : (JSON.parse(row.payoutDetails) as PayoutDetailsView),
  };
}
