import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** What a visit of a link needs to know of it. */
export interface LinkTarget {
  id: string;
  accountId: string;
  programId: string;
  /** Where visitors are sent. */
  url: string;
  /** Of its program, JSON: the hosts whose pages may claim a click. */
  trackedHosts: string;
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

const HOUR_MS = 3_600_000;

/** The link that a visitor followed; domains are lower case. */
export function findLinkTarget(tx: Transaction, domain: string, key: string) {
  return tx.get<LinkTarget>(
    `SELECT l.id, l.account_id AS "accountId", l.program_id AS "programId", l.url, p.tracked_hosts AS "trackedHosts"
     FROM links l JOIN programs p ON p.id = l.program_id WHERE l.domain = @domain AND l.key = @key`,
    { domain, key },
  );
}

const insertRows = manyRows({
  before: `INSERT INTO clicks
    (id, account_id, link_id, referrer_host, device, country, visitor_hash, created_at) VALUES`,
  names: ['id', 'accountId', 'linkId', 'referrerHost', 'device', 'country', 'visitorHash', 'createdAt'],
  after: '',
});

const countRows = manyRows({
  before: 'INSERT INTO link_clicks (link_id, hour, clicks) VALUES',
  names: ['linkId', 'hour', 'clicks'],
  after: 'ON CONFLICT (link_id, hour) DO UPDATE SET clicks = link_clicks.clicks + excluded.clicks',
});

/** Adds the clicks, and counts them for their links; their ids are new. */
export async function insertClicks(tx: Transaction, clicks: readonly NewClick[]): Promise<void> {
  await insertRows(tx, clicks);
  for (const [hour, ofHour] of Map.groupBy(clicks, ({ createdAt }) => Math.floor(createdAt / HOUR_MS))) {
    await countRows(tx, countsOf(hour, ofHour));
  }
}

/** In one order everywhere, so that two processes that count the same links cannot wait for each other. */
function countsOf(hour: number, clicks: readonly NewClick[]) {
  const counts = new Map<string, number>();
  for (const { linkId } of clicks) counts.set(linkId, (counts.get(linkId) ?? 0) + 1);
  return [...counts.keys()].sort().map((linkId) => ({ linkId, hour, clicks: counts.get(linkId) ?? 0 }));
}
