import type { LinkId, PartnerId } from '../core/ids.ts';
import { BLOCK_DAYS } from '../storage/conditions/result-days.ts';
import type { Transaction } from '../storage/database.ts';
import { type Counts, type DayRange, sumLinks, sumLinksOfPartner } from './queries/days.ts';

export { type Counts, type DayRange, hasSalesIn } from './queries/days.ts';

/** Counts of one link: either clicks and leads with the currency '', or the sales in one currency. */
export interface SumOfLink extends Partial<Counts> {
  linkId: LinkId;
  currency: string;
}

/**
 * The sums of these links over whole days, regardless of who held them; several rows per link and currency, in any
 * order.
 */
export function sumsOfLinks(tx: Transaction, linkIds: readonly LinkId[], days: DayRange): Promise<SumOfLink[]> {
  return sumLinks(tx, linkIds, splitIntoBlocks(days));
}

/**
 * The sums of these links over all days, while this partner held them; several rows per link and currency, in any
 * order.
 */
export async function sumsOfPartner(tx: Transaction, partnerId: PartnerId, linkIds: readonly LinkId[], today: number) {
  const sums: SumOfLink[] = [];
  for (const part of splitIntoBlocks({ fromDay: 0, toDay: today + 1 })) {
    if (part.fromDay < part.toDay) sums.push(...(await sumLinksOfPartner(tx, linkIds, { partnerId, ...part })));
  }
  return sums;
}

/** The full blocks in a range of days, and the days before and after them. */
function splitIntoBlocks({ fromDay, toDay }: DayRange) {
  const firstBlock = Math.ceil(fromDay / BLOCK_DAYS) * BLOCK_DAYS;
  const endBlock = Math.floor(toDay / BLOCK_DAYS) * BLOCK_DAYS;
  if (firstBlock >= endBlock) return [{ span: 1, fromDay, toDay } as const];
  return [
    { span: BLOCK_DAYS, fromDay: firstBlock, toDay: endBlock },
    { span: 1, fromDay, toDay: firstBlock },
    { span: 1, fromDay: endBlock, toDay },
  ] as const;
}
