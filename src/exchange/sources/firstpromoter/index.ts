import type { SourceItem } from '../../moved/facts.ts';
import type { SourceClient } from '../client.ts';
import type { ReadOptions, Source } from '../contract.ts';
import { SOURCE_FORMS } from '../forms.ts';
import { byPageNumber } from '../pages.ts';
import { itemsOf, listIn } from '../records.ts';
import { commissionItems, LEFT_OUT, partnerItems, programOf } from './map.ts';
import { customerItems, type Referrals } from './referrals.ts';

/** https://docs.firstpromoter.com/api-reference-v2 */
export const firstpromoter: Source = {
  ...SOURCE_FORMS.firstpromoter,
  limit: { requests: 300, perMs: 60_000 },
  headersFor: ({ key = '', accountId = '' }) => ({ authorization: `Bearer ${key}`, 'account-id': accountId }),
  read,
};

async function* read(client: SourceClient, { credentials, linkUrl }: ReadOptions): AsyncGenerator<SourceItem> {
  const { currency = '' } = credentials;
  // the program's parameters are those of its links
  const parameters = new Set<string>();
  const partners: SourceItem[] = [];
  const promoters = all(client, '/promoters');
  for await (const item of itemsOf('partner', promoters, (record) => partnerItems(record, { linkUrl, parameters }))) {
    partners.push(item);
  }
  yield programOf(parameters);
  yield* partners;
  const referrals: Referrals = { ended: new Set(), owners: new Map() };
  yield* itemsOf('customer', all(client, '/referrals'), (record) => customerItems(record, referrals));
  const commissions = all(client, '/commissions');
  yield* itemsOf('commission', commissions, (record) => commissionItems(record, { currency, referrals }));
  yield* LEFT_OUT;
}

/** A list is the answer itself, or its `data`. */
function all(client: SourceClient, path: string): AsyncGenerator<unknown> {
  const rowsIn = (answer: unknown) => (Array.isArray(answer) ? answer : listIn(answer, 'data'));
  return byPageNumber(client, path, { sizeName: 'per_page', rowsIn });
}
