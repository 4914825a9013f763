import type { AccountId, ClickId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import { HOUR_MS } from '../../core/time.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** What a visit needs of a link. */
export interface LinkTarget {
  id: LinkId;
  accountId: AccountId;
  programId: ProgramId;
  /** Who has the link now. */
  partnerId: PartnerId;
  /** The destination. */
  url: string;
  /** The program's hosts whose pages may report a click, as JSON. */
  trackedHosts: string;
}

export interface NewClick {
  id: ClickId;
  accountId: AccountId;
  linkId: LinkId;
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  visitorHash: string | null;
  createdAt: number;
  /** True for a visit that the statistics leave out. */
  isRepeat?: boolean;
}

/** The link at this lower-case domain and key. */
export function findLinkTarget(tx: Transaction, domain: string, key: string) {
  return tx.get<LinkTarget>(
    `SELECT l.id, l.account_id AS "accountId", l.program_id AS "programId", l.partner_id AS "partnerId", l.url,
       p.tracked_hosts AS "trackedHosts"
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

/** Adds clicks with new ids, and adds those that count to the hourly counts of their links. */
export async function insertClicks(tx: Transaction, clicks: readonly NewClick[]): Promise<void> {
  await insertRows(tx, clicks);
  const counted = clicks.filter(({ isRepeat }) => isRepeat !== true);
  for (const [hour, ofHour] of Map.groupBy(counted, ({ createdAt }) => Math.floor(createdAt / HOUR_MS))) {
    await countRows(tx, countsOf(hour, ofHour));
  }
}

/** Sorted, so that two processes that count the same links cannot deadlock. */
function countsOf(hour: number, clicks: readonly NewClick[]) {
  const counts = new Map<LinkId, number>();
  for (const { linkId } of clicks) counts.set(linkId, (counts.get(linkId) ?? 0) + 1);
  return [...counts.keys()].sort().map((linkId) => ({ linkId, hour, clicks: counts.get(linkId) ?? 0 }));
}
