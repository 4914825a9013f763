import type { Transaction } from '../database.ts';

export interface LinkTarget {
  id: string;
  accountId: string;
  programId: string;
  url: string;
}

export interface NewClick {
  id: string;
  accountId: string;
  linkId: string;
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  visitorHash: string | null;
  createdAt: number;
}

/** The link that a visitor followed; domains are lower case. */
export function findLinkTarget(tx: Transaction, domain: string, key: string) {
  return tx.get<LinkTarget>(
    `SELECT id, account_id AS "accountId", program_id AS "programId", url
     FROM links WHERE domain = @domain AND key = @key`,
    { domain, key },
  );
}

export function insertClick(tx: Transaction, click: NewClick) {
  return tx.run(
    `INSERT INTO clicks (id, account_id, link_id, referrer_host, device, country, visitor_hash, created_at)
     VALUES (@id, @accountId, @linkId, @referrerHost, @device, @country, @visitorHash, @createdAt)`,
    { ...click },
  );
}
