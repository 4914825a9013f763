import type { SourceItem } from '../../moved/facts.ts';
import type { SourceClient } from '../client.ts';
import type { Source } from '../contract.ts';
import { SOURCE_FORMS } from '../forms.ts';
import { byPageNumber } from '../pages.ts';
import { itemsOf } from '../records.ts';
import {
  commissionIdOf,
  commissionItems,
  customerItems,
  LEFT_OUT,
  linkItems,
  type Payouts,
  PROGRAM,
  partnerItems,
  readPayout,
} from './map.ts';

/** https://dub.co/docs/api-reference */
export const dub: Source = {
  ...SOURCE_FORMS.dub,
  limit: { requests: 60, perMs: 60_000 },
  headersFor: ({ key = '' }) => ({ authorization: `Bearer ${key}` }),
  read,
};

async function* read(client: SourceClient): AsyncGenerator<SourceItem> {
  yield PROGRAM;
  yield* itemsOf('partner', all(client, '/partners'), partnerItems);
  yield* itemsOf('link', all(client, '/links'), linkItems);
  const filter = { includeExpandedFields: 'true' };
  yield* itemsOf('customer', all(client, '/customers', filter), customerItems);
  const payouts: Payouts = { paid: [], underway: [], ofCommission: new Map() };
  yield* itemsOf('payout', all(client, '/payouts'), (record) => readPayout(record, payouts));
  // a commission does not say which payout it is in
  for (const payout of [...payouts.paid, ...payouts.underway]) {
    for await (const commission of all(client, '/commissions', { payoutId: payout.id })) {
      payouts.ofCommission.set(commissionIdOf(commission), payout);
    }
  }
  yield* itemsOf('commission', all(client, '/commissions'), (record) => commissionItems(record, payouts.ofCommission));
  yield* payouts.paid;
  yield* LEFT_OUT;
}

function all(client: SourceClient, path: string, filter: Record<string, string> = {}) {
  return byPageNumber(client, path, { sizeName: 'pageSize', filter });
}
