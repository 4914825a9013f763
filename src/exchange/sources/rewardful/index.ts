import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import type { SourceItem } from '../../moved/facts.ts';
import type { SourceClient } from '../client.ts';
import type { Source } from '../contract.ts';
import { SOURCE_FORMS } from '../forms.ts';
import { PAGE_SIZE } from '../pages.ts';
import { itemsOf, listIn, recordsOf } from '../records.ts';
import { codeItems, commissionItems, customerItems, LEFT_OUT, partnerItems, programItems } from './map.ts';
import { type Payouts, readPayout } from './payouts.ts';

const pageSchema = z.object({
  pagination: z.object({ next_page: z.number().int().nullish(), total_count: z.number().int().nullish() }),
});

/** https://developers.rewardful.com/rest-api */
export const rewardful: Source = {
  ...SOURCE_FORMS.rewardful,
  limit: { requests: 45, perMs: 30_000 },
  headersFor: ({ secret = '' }) => ({ authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` }),
  read,
};

async function* read(client: SourceClient): AsyncGenerator<SourceItem> {
  yield* itemsOf('program', all(client, '/campaigns'), programItems);
  yield* itemsOf('partner', all(client, '/affiliates', ['campaign', 'links']), partnerItems);
  yield* itemsOf('code', all(client, '/affiliate_coupons', ['affiliate']), codeItems);
  const converted = { 'conversion_state[]': ['lead', 'conversion'] };
  yield* itemsOf('customer', all(client, '/referrals', ['affiliate'], converted), customerItems);
  const payouts: Payouts = { items: [], ofCommission: new Map() };
  yield* itemsOf('payout', all(client, '/payouts', ['affiliate', 'commissions']), (record) =>
    readPayout(record, payouts),
  );
  const commissions = all(client, '/commissions', ['sale', 'campaign']);
  yield* itemsOf('commission', commissions, (record) => commissionItems(record, payouts.ofCommission));
  yield* payouts.items;
  yield* LEFT_OUT;
}

/**
 * A list, the newest records first. A record that is deleted in the meantime moves all older ones towards the pages that
 * have been read, so pages are read again when the total becomes smaller; a record that is read twice changes nothing.
 */
function all(
  client: SourceClient,
  path: string,
  expand: readonly string[] = [],
  filter: Record<string, string[]> = {},
) {
  const first = { page: 1, limit: PAGE_SIZE, ...(expand.length === 0 ? {} : { 'expand[]': expand }), ...filter };
  let totalBefore = 0;
  return recordsOf(
    first,
    (query) => client.get(path, query),
    (answer, query) => {
      const { next_page: nextPage, total_count: total } = parseInput(pageSchema, answer).pagination;
      const rows = listIn(answer, 'data');
      const deleted = totalBefore - (total ?? totalBefore);
      totalBefore = total ?? totalBefore;
      if (deleted > 0) {
        const page = Math.max(1, Number(query.page) - Math.ceil(deleted / PAGE_SIZE));
        return { rows, next: { ...query, page } };
      }
      // a list that never ends would be read forever
      return { rows, next: nextPage == null || rows.length === 0 ? null : { ...query, page: nextPage } };
    },
  );
}
