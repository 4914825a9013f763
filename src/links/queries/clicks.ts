import type { AccountId, ClickId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import { HOUR_MS } from '../../core/time.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** The data of a link that a visit needs. */
export interface LinkTarget {
  id: LinkId;
  accountId: AccountId;
  programId: ProgramId;
  /** The partner who holds the link now. */
  partnerId: PartnerId;
  /** The destination. */
  url: string;
  /** The program's hosts whose pages may report a click, as JSON. */
  trackedHosts: string;
  /** The program's parameters that carry the click id, and those that name a link, both as JSON. */
  clickParameters: string;
  viaParameters: string;
}

/** The stored details of a visit. Nothing in them identifies a person. */
export interface ClickDetails {
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  visitorHash: string | null;
  /** True for a visit that the statistics ignore. */
  isRepeat?: boolean;
}

export interface NewClick extends ClickDetails {
  id: ClickId;
  accountId: AccountId;
  linkId: LinkId;
  createdAt: number;
}

/** A click, and the owners for whom it counts. */
export interface CountedClick extends NewClick {
  programId: ProgramId;
  partnerId: PartnerId;
}

/** The active link at this lower-case domain and key. */
export function findLinkTarget(tx: Transaction, domain: string, key: string) {
  return tx.get<LinkTarget>(
    `SELECT l.id, l.account_id AS "accountId", l.program_id AS "programId", l.partner_id AS "partnerId", l.url,
       p.tracked_hosts AS "trackedHosts", p.click_parameters AS "clickParameters", p.via_parameters AS "viaParameters"
     FROM links l JOIN programs p ON p.id = l.program_id JOIN partners r ON r.id = l.partner_id
     WHERE l.domain = @domain AND l.key = @key
       AND l.archived_at IS NULL AND r.archived_at IS NULL AND p.archived_at IS NULL`,
    { domain, key },
  );
}

/** Who sent a visitor: a partner, with its first discount code. */
export interface Referrer {
  id: PartnerId;
  name: string;
  discountCode: string | null;
}

export function findReferrer(tx: Transaction, partnerId: PartnerId) {
  return tx.get<Referrer>(
    `SELECT p.id, p.name,
       (SELECT d.code FROM partner_discount_codes d WHERE d.partner_id = p.id
        ORDER BY d.code_lower /* postgres: COLLATE "C" */ LIMIT 1) AS "discountCode"
     FROM partners p WHERE p.id = @partnerId`,
    { partnerId },
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

/** Adds clicks with new ids. */
export async function insertClicks(tx: Transaction, clicks: readonly NewClick[]): Promise<void> {
  await insertRows(tx, clicks);
}

/** Adds clicks to the hourly counts of their links. */
export async function countByHour(tx: Transaction, clicks: readonly NewClick[]): Promise<void> {
  const byHour = [...Map.groupBy(clicks, ({ createdAt }) => Math.floor(createdAt / HOUR_MS))];
  const inLockOrder = byHour.toSorted(([a], [b]) => a - b);
  await Promise.all(inLockOrder.map(([hour, ofHour]) => countRows(tx, countsOf(hour, ofHour))));
}

/** Sorted, so that two processes that count the same links cannot deadlock. */
function countsOf(hour: number, clicks: readonly NewClick[]) {
  const counts = new Map<LinkId, number>();
  for (const { linkId } of clicks) counts.set(linkId, (counts.get(linkId) ?? 0) + 1);
  return [...counts.keys()].sort().map((linkId) => ({ linkId, hour, clicks: counts.get(linkId) ?? 0 }));
}

/** What a click stores about its visitor. */
export interface VisitDetails {
  id: ClickId;
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  createdAt: number;
}

export function findVisit(tx: Transaction, accountId: AccountId, clickId: ClickId) {
  return tx.get<VisitDetails>(
    `SELECT id, referrer_host AS "referrerHost", device, country, created_at AS "createdAt"
     FROM clicks WHERE account_id = @accountId AND id = @clickId`,
    { accountId, clickId },
  );
}

export function eraseVisit(tx: Transaction, accountId: AccountId, clickId: ClickId) {
  return tx.run(
    `UPDATE clicks SET referrer_host = NULL, device = NULL, country = NULL, visitor_hash = NULL
     WHERE account_id = @accountId AND id = @clickId`,
    { accountId, clickId },
  );
}
