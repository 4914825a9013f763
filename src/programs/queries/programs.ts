import type { AccountId, ProgramId } from '../../core/ids.ts';
import type { PortalSettings } from '../../core/portal.ts';
import type { Commission, ProgramTerms } from '../../core/terms.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, listParameters, type PageBounds, pageSql } from '../../storage/list-filters.ts';

export interface Program extends ProgramTerms {
  id: ProgramId;
  accountId: AccountId;
  name: string;
  /** May be empty. */
  description: string;
  /** Lower-case hosts, with a port unless it is the default port. */
  trackedHosts: string[];
  /** The parameters in which a redirect carries the click id. svc_id is always among them. */
  clickParameters: string[];
  /** The parameters that name a link on a page of the company. */
  viaParameters: string[];
  /** The destination of the link that a new partner gets; null for no link. */
  defaultUrl: string | null;
  /** Where a dead link on the account's own domains leads; null for a page that says the link is dead. */
  deadLinkUrl: string | null;
  portal: PortalSettings;
  createdAt: number;
  archivedAt: number | null;
}

/** A database row: objects and lists are JSON text, booleans 0 or 1. */
type ProgramRow = Omit<Program, JsonMember | 'emailMatching'> & { [Member in JsonMember]: string } & {
  emailMatching: number;
};

type JsonMember = 'commission' | 'minimumPayout' | 'trackedHosts' | 'clickParameters' | 'viaParameters' | 'portal';

const COLUMNS = `id, account_id AS "accountId", name, description, commission, duration_months AS "durationMonths",
  hold_days AS "holdDays", minimum_payout AS "minimumPayout", amount_basis AS "amountBasis",
  email_matching AS "emailMatching", self_referral AS "selfReferral", tracked_hosts AS "trackedHosts",
  click_parameters AS "clickParameters", via_parameters AS "viaParameters",
  default_url AS "defaultUrl", dead_link_url AS "deadLinkUrl", portal, created_at AS "createdAt",
  archived_at AS "archivedAt"`;

/** Adds a program with a new id, and its portal's origins. */
export async function insertProgram(tx: Transaction, program: Program): Promise<void> {
  await tx.run(
    `INSERT INTO programs (id, account_id, name, description, commission, duration_months, hold_days, minimum_payout,
       amount_basis, email_matching, self_referral, tracked_hosts, click_parameters, via_parameters, default_url,
       dead_link_url, portal, created_at)
     VALUES (@id, @accountId, @name, @description, @commission, @durationMonths, @holdDays, @minimumPayout,
       @amountBasis, @emailMatching, @selfReferral, @trackedHosts, @clickParameters, @viaParameters, @defaultUrl, @deadLinkUrl, @portal,
       @createdAt)`,
    { ...asRow(program) },
  );
  await replaceOrigins(tx, program);
}

/** Updates a program and its portal's origins. */
export async function updateProgram(tx: Transaction, program: Program): Promise<void> {
  await tx.run(
    `UPDATE programs SET name = @name, description = @description, commission = @commission,
       duration_months = @durationMonths, hold_days = @holdDays, minimum_payout = @minimumPayout,
       amount_basis = @amountBasis, email_matching = @emailMatching, self_referral = @selfReferral,
       tracked_hosts = @trackedHosts,
       click_parameters = @clickParameters, via_parameters = @viaParameters, default_url = @defaultUrl, dead_link_url = @deadLinkUrl,
       portal = @portal
     WHERE account_id = @accountId AND id = @id`,
    { ...asRow(program) },
  );
  await replaceOrigins(tx, program);
}

/** One program of this account. */
export async function findProgram(tx: Transaction, accountId: AccountId, id: string): Promise<Program | undefined> {
  const sql = `SELECT ${COLUMNS} FROM programs
    WHERE account_id = @accountId AND id = @id AND deleted_at IS NULL`;
  const row = await tx.get<ProgramRow>(sql, { accountId, id });
  return row && asProgram(row);
}

/** Like `findProgram`; nobody deletes the program before this unit ends. */
export async function keepProgram(tx: Transaction, accountId: AccountId, id: string): Promise<Program | undefined> {
  const sql = `SELECT ${COLUMNS} FROM programs
    WHERE account_id = @accountId AND id = @id AND deleted_at IS NULL /* postgres: FOR KEY SHARE */`;
  const row = await tx.get<ProgramRow>(sql, { accountId, id });
  return row && asProgram(row);
}

const LIST = {
  alias: 'p',
  columns: { archived: "CASE WHEN p.archived_at IS NULL THEN 'no' ELSE 'yes' END" },
  walks: {},
};

/** Programs of this account, newest first. Filter: `archived`. */
export async function findPrograms(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<Program[]> {
  const rows = await tx.all<ProgramRow>(
    `SELECT ${COLUMNS} FROM programs p WHERE p.deleted_at IS NULL AND ${pageSql(filters, LIST)}`,
    { accountId, ...listParameters(filters, bounds) },
  );
  return rows.map(asProgram);
}

const STATE = "CASE WHEN archived_at IS NULL THEN 'no' ELSE 'yes' END";

/** Ids of the account's programs that are archived, or are not; in any order, at most `limit`. */
export async function findProgramIds(
  tx: Transaction,
  accountId: AccountId,
  { archived, limit }: { archived: 'no' | 'yes'; limit: number },
): Promise<ProgramId[]> {
  const rows = await tx.all<{ id: ProgramId }>(
    `SELECT id FROM programs WHERE account_id = @accountId AND ${STATE} = @archived LIMIT @limit`,
    { accountId, archived, limit },
  );
  return rows.map(({ id }) => id);
}

/** Whether a program of this account is archived. */
export function findProgramState(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<{ archived: 'no' | 'yes' }>(
    `SELECT ${STATE} AS archived FROM programs WHERE account_id = @accountId AND id = @id`,
    { accountId, id },
  );
}

/** The account's first programs, active before archived: enough to distinguish none, one and several. */
export function findFirstPrograms(tx: Transaction, accountId: AccountId, limit: number) {
  return tx.all<{ id: ProgramId; name: string; isArchived: number }>(
    `SELECT id, name, CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END AS "isArchived" FROM programs
     WHERE account_id = @accountId AND deleted_at IS NULL ORDER BY "isArchived", id LIMIT @limit`,
    { accountId, limit },
  );
}

/** True when any program of any account allows this origin to embed its portal. */
export async function isOriginListed(tx: Transaction, origin: string): Promise<boolean> {
  const row = await tx.get('SELECT 1 AS "listed" FROM program_origins WHERE origin = @origin LIMIT 1', { origin });
  return row !== undefined;
}

/** True when this program allows the origin. */
export async function isOriginOf(tx: Transaction, programId: ProgramId, origin: string): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 AS "listed" FROM program_origins WHERE program_id = @programId AND origin = @origin',
    { programId, origin },
  );
  return row !== undefined;
}

async function replaceOrigins(tx: Transaction, { id, portal }: Program): Promise<void> {
  await tx.run('DELETE FROM program_origins WHERE program_id = @id', { id });
  for (const origin of portal.allowedOrigins) {
    await tx.run('INSERT INTO program_origins (program_id, origin) VALUES (@id, @origin)', { id, origin });
  }
}

function asRow(program: Program) {
  return {
    ...program,
    commission: JSON.stringify(program.commission),
    minimumPayout: JSON.stringify(program.minimumPayout),
    emailMatching: Number(program.emailMatching),
    trackedHosts: JSON.stringify(program.trackedHosts),
    clickParameters: JSON.stringify(program.clickParameters),
    viaParameters: JSON.stringify(program.viaParameters),
    portal: JSON.stringify(program.portal),
  } satisfies ProgramRow;
}

function asProgram(row: ProgramRow): Program {
  return {
    ...row,
    commission: JSON.parse(row.commission) as Commission,
    minimumPayout: JSON.parse(row.minimumPayout) as Record<string, number>,
    emailMatching: row.emailMatching === 1,
    trackedHosts: JSON.parse(row.trackedHosts) as string[],
    clickParameters: JSON.parse(row.clickParameters) as string[],
    viaParameters: JSON.parse(row.viaParameters) as string[],
    portal: JSON.parse(row.portal) as PortalSettings,
  };
}
