import { type AccountId, FIRST_ID, LAST_ID } from '../core/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import type { PartnerRange } from './queries/partner-ranges.ts';

const PARTNERS_PER_PAGE = 500;
/**
 * The most sums in memory at a time (`perGroup`, about 80 bytes each) and in one query (`perPiece`), unless a single
 * partner has more. Each further group reads all rows once more.
 */
const LIMITS = { perGroup: 1_000_000, perPiece: 10_000 };

/** Partners whose sums fit into memory together, and the same partners in pieces small enough for one query. */
export interface PartnerGroup {
  range: PartnerRange;
  pieces: PartnerRange[];
}

type CountSums = (
  tx: Transaction,
  page: { accountId: AccountId; afterId: string; limit: number },
) => Promise<{ id: string; sums: number }[]>;

/** Divides the partners of an account by the number of sums that each has; together, the ranges cover all ids. */
export async function groupPartners(
  database: Database,
  accountId: AccountId,
  countSums: CountSums,
  limits = LIMITS,
): Promise<PartnerGroup[]> {
  const groups: PartnerGroup[] = [{ range: rangeFrom(accountId, FIRST_ID), pieces: [rangeFrom(accountId, FIRST_ID)] }];
  let [ofGroup, ofPiece] = [0, 0];
  for (let afterId = FIRST_ID; ; ) {
    const page = { accountId, afterId, limit: PARTNERS_PER_PAGE };
    const partners = await database.report((tx) => countSums(tx, page));
    for (const { id, sums } of partners) {
      if (ofGroup > 0 && ofGroup + sums > limits.perGroup) {
        endAt(groups.at(-1), afterId);
        groups.push({ range: rangeFrom(accountId, afterId), pieces: [rangeFrom(accountId, afterId)] });
        [ofGroup, ofPiece] = [0, 0];
      } else if (ofPiece > 0 && ofPiece + sums > limits.perPiece) {
        endPieceAt(groups.at(-1), afterId);
        groups.at(-1)?.pieces.push(rangeFrom(accountId, afterId));
        ofPiece = 0;
      }
      ofGroup += sums;
      ofPiece += sums;
      afterId = id;
    }
    if (partners.length < PARTNERS_PER_PAGE) return groups;
  }
}

function rangeFrom(accountId: AccountId, afterPartnerId: string): PartnerRange {
  return { accountId, afterPartnerId, lastPartnerId: LAST_ID };
}

function endAt(group: PartnerGroup | undefined, lastPartnerId: string): void {
  endPieceAt(group, lastPartnerId);
  if (group) group.range.lastPartnerId = lastPartnerId;
}

function endPieceAt(group: PartnerGroup | undefined, lastPartnerId: string): void {
  const piece = group?.pieces.at(-1);
  if (piece) piece.lastPartnerId = lastPartnerId;
}
