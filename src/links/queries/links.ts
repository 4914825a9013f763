import type { AccountId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import type { Commission } from '../../core/terms.ts';
import type { Transaction } from '../../storage/database.ts';
import { PARTNER_OF_ACCOUNT, type PageBounds } from '../../storage/list-filters.ts';

export interface Link {
  id: LinkId;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  partnerName: string;
  /** A host in lower case, with a port unless it is the default port. */
  domain: string;
  key: string;
  /** The destination. */
  url: string;
  /** Overrides the partner's and the program's commission. */
  commission: Commission | null;
  createdAt: number;
  /** When the link itself was archived. Its partner or program may be archived as well. */
  archivedAt: number | null;
}

export type LinkRow = Omit<Link, 'commission'> & { commission: string | null };

/** Without a condition; the link is `l`. */
export const SELECT_LINK = `
  SELECT l.id, l.account_id AS "accountId", l.program_id AS "programId", l.partner_id AS "partnerId",
    (SELECT n.name FROM partners n WHERE n.id = l.partner_id) AS "partnerName", l.domain, l.key,
    l.url, l.commission, l.created_at AS "createdAt", l.archived_at AS "archivedAt"
  FROM links l`;

/** When visitors of the link `l` are told that it does not exist: the link, its partner or its program is archived. */
export const IS_ARCHIVED = `CASE WHEN l.archived_at IS NULL
  AND (SELECT a.archived_at FROM partners a WHERE a.id = l.partner_id) IS NULL
  AND (SELECT g.archived_at FROM programs g WHERE g.id = l.program_id) IS NULL THEN 'no' ELSE 'yes' END`;

/** A link's sales are found through everyone who holds or held it. */
const ADD_HOLDER = `INSERT INTO link_holders (link_id, partner_id) VALUES (@id, @partnerId) ON CONFLICT DO NOTHING`;

/** Adds a link. Returns false when a link of any account has its domain and key. */
export async function insertLink(tx: Transaction, link: Link): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO links (id, account_id, program_id, partner_id, domain, key, url, commission, created_at)
     VALUES (@id, @accountId, @programId, @partnerId, @domain, @key, @url, @commission, @createdAt)
     ON CONFLICT (domain, key) DO NOTHING`,
    asParameters(link),
  );
  if (changed === 1) await tx.run(ADD_HOLDER, asParameters(link));
  return changed === 1;
}

/** Updates a link. The caller has checked that its domain and key are free. */
export async function updateLink(tx: Transaction, link: Link): Promise<void> {
  await tx.run(
    `UPDATE links SET partner_id = @partnerId, domain = @domain, key = @key, url = @url, commission = @commission
     WHERE account_id = @accountId AND id = @id`,
    asParameters(link),
  );
  await tx.run(ADD_HOLDER, asParameters(link));
}

/** The id of the link of any account with this domain and key. */
export async function findLinkId(tx: Transaction, domain: string, key: string): Promise<LinkId | undefined> {
  const sql = 'SELECT id FROM links WHERE domain = @domain AND key = @key';
  return (await tx.get<{ id: LinkId }>(sql, { domain, key }))?.id;
}

/** The account whose links are on this domain; undefined when there are none. */
export async function findDomainOwner(tx: Transaction, domain: string): Promise<AccountId | undefined> {
  const sql = 'SELECT account_id AS "accountId" FROM links WHERE domain = @domain ORDER BY key LIMIT 1';
  return (await tx.get<{ accountId: AccountId }>(sql, { domain }))?.accountId;
}

/** The `deadLinkUrl` of the account whose links are on this domain, from its oldest program that has one. */
export async function findDeadLinkUrl(tx: Transaction, domain: string): Promise<string | undefined> {
  const row = await tx.get<{ url: string }>(
    `SELECT p.dead_link_url AS url FROM programs p
     WHERE p.account_id = (SELECT l.account_id FROM links l WHERE l.domain = @domain ORDER BY l.key LIMIT 1)
       AND p.dead_link_url IS NOT NULL
     ORDER BY p.id LIMIT 1`,
    { domain },
  );
  return row?.url;
}

/** One link of this account. */
export async function findLink(tx: Transaction, accountId: AccountId, id: string): Promise<Link | undefined> {
  const sql = `${SELECT_LINK} WHERE l.account_id = @accountId AND l.id = @id AND l.deleted_at IS NULL`;
  const row = await tx.get<LinkRow>(sql, { accountId, id });
  return row && asLink(row);
}

/** Active links that this partner holds now, with ids below `beforeId`, newest first. */
export async function findLinksOfPartner(
  tx: Transaction,
  partnerId: PartnerId,
  { limit, beforeId }: PageBounds,
): Promise<Link[]> {
  const rows = await tx.all<LinkRow>(
    `${SELECT_LINK} WHERE l.partner_id = @partnerId AND l.id < @beforeId AND l.deleted_at IS NULL AND ${IS_ARCHIVED} = 'no'
     ORDER BY l.id DESC LIMIT @limit`,
    { partnerId, beforeId, limit },
  );
  return rows.map(asLink);
}

/**
 * The newest link in use of a partner that leads to a destination, on a domain or, if that is null, on any. Reads the
 * partner's links, because destinations are too long for an index.
 */
export async function findLinkTo(
  tx: Transaction,
  accountId: AccountId,
  destination: { partnerId: string; url: string; domain: string | null },
): Promise<LinkId | undefined> {
  const row = await tx.get<{ id: LinkId }>(
    `SELECT l.id FROM links l
     WHERE l.partner_id = ${PARTNER_OF_ACCOUNT} AND l.url = @url AND l.domain = COALESCE(@domain, l.domain)
       AND l.deleted_at IS NULL AND ${IS_ARCHIVED} = 'no'
     ORDER BY l.id DESC LIMIT 1`,
    { accountId, ...destination },
  );
  return row?.id;
}

/** The domains of this account's links, sorted by name, each with its number of links. */
export function countLinksByDomain(tx: Transaction, accountId: AccountId) {
  return tx.all<{ domain: string; count: number }>(
    `SELECT domain, COUNT(*) AS count FROM links WHERE account_id = @accountId AND deleted_at IS NULL
     GROUP BY domain ORDER BY domain`,
    { accountId },
  );
}

function asParameters(link: Link) {
  const { id, accountId, programId, partnerId, domain, key, url, createdAt } = link;
  const commission = link.commission && JSON.stringify(link.commission);
  return { id, accountId, programId, partnerId, domain, key, url, commission, createdAt };
}

export function asLink(row: LinkRow): Link {
  return { ...row, commission: row.commission === null ? null : (JSON.parse(row.commission) as Commission) };
}
