import type { Commission } from '../../core/terms.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export interface Link {
  id: string;
  accountId: string;
  programId: string;
  partnerId: string;
  /** A host in lower case, with a port where it is not the usual one. */
  domain: string;
  key: string;
  /** Where visitors are sent. */
  url: string;
  /** In place of the partner's and the program's. */
  commission: Commission | null;
  createdAt: number;
}

type Row = Omit<Link, 'commission'> & { commission: string | null };

const SELECT = `
  SELECT l.id, l.account_id AS "accountId", l.program_id AS "programId", l.partner_id AS "partnerId", l.domain, l.key,
    l.url, l.commission, l.created_at AS "createdAt"
  FROM links l`;

/** Its sales are found by who has or had the link. */
const ADD_HOLDER = `INSERT INTO link_holders (link_id, partner_id) VALUES (@id, @partnerId) ON CONFLICT DO NOTHING`;

/** False when a link of whichever account has this domain and key. */
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

/** Writes what may change of a link; that its domain and key are free was looked at. */
export async function updateLink(tx: Transaction, link: Link): Promise<void> {
  await tx.run(
    `UPDATE links SET partner_id = @partnerId, domain = @domain, key = @key, url = @url, commission = @commission
     WHERE account_id = @accountId AND id = @id`,
    asParameters(link),
  );
  await tx.run(ADD_HOLDER, asParameters(link));
}

/** The id of the link with this domain and key, of whichever account. */
export async function findLinkId(tx: Transaction, domain: string, key: string): Promise<string | undefined> {
  const sql = 'SELECT id FROM links WHERE domain = @domain AND key = @key';
  return (await tx.get<{ id: string }>(sql, { domain, key }))?.id;
}

/** One link of this account. */
export async function findLink(tx: Transaction, accountId: string, id: string): Promise<Link | undefined> {
  const sql = `${SELECT} WHERE l.account_id = @accountId AND l.id = @id`;
  const row = await tx.get<Row>(sql, { accountId, id });
  return row && asLink(row);
}

/** Links of this account with ids below `beforeId`, the newest first. */
export async function findLinks(tx: Transaction, accountId: string, { limit, beforeId }: PageBounds): Promise<Link[]> {
  const rows = await tx.all<Row>(
    `${SELECT} WHERE l.account_id = @accountId AND l.id < @beforeId ORDER BY l.id DESC LIMIT @limit`,
    { accountId, beforeId, limit },
  );
  return rows.map(asLink);
}

function asParameters(link: Link) {
  const { id, accountId, programId, partnerId, domain, key, url, createdAt } = link;
  const commission = link.commission && JSON.stringify(link.commission);
  return { id, accountId, programId, partnerId, domain, key, url, commission, createdAt };
}

function asLink(row: Row): Link {
  return { ...row, commission: row.commission === null ? null : (JSON.parse(row.commission) as Commission) };
}
