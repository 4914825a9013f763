import { z } from 'zod';
import type { SourceItem } from '../../moved/facts.ts';
import type { Query, SourceClient } from '../client.ts';
import type { ReadOptions, Source } from '../contract.ts';
import { SOURCE_FORMS } from '../forms.ts';
import { byLastRecord } from '../pages.ts';
import { itemsOf, listIn } from '../records.ts';
import { commissionItems, customerItems, LEFT_OUT, linkItems, PROGRAM, partnerItems } from './map.ts';

/** https://docs.partnerstack.com/reference */
export const partnerstack: Source = {
  ...SOURCE_FORMS.partnerstack,
  limit: { requests: 60, perMs: 60_000 },
  headersFor: ({ publicKey = '', secretKey = '' }) => ({
    authorization: `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`,
  }),
  read,
};

async function* read(client: SourceClient, { credentials }: ReadOptions): AsyncGenerator<SourceItem> {
  const { currency = '' } = credentials;
  yield PROGRAM;
  const partners: string[] = [];
  for await (const item of itemsOf('partner', all(client, '/partnerships'), partnerItems)) {
    if (item.kind === 'partner') partners.push(item.id);
    yield item;
  }
  for (const key of partners) {
    const links = all(client, `/links/partnership/${encodeURIComponent(key)}`);
    yield* itemsOf('link', links, (record) => linkItems(record, key));
  }
  yield* itemsOf('customer', all(client, '/customers'), customerItems);
  // scheduled rewards are listed only if they are asked for; first, because one that leaves the schedule in the meantime
  // would be in neither list
  for (const filter of [{ status: 'scheduled' }, {}]) {
    yield* itemsOf('commission', all(client, '/rewards', filter), (record) => commissionItems(record, currency));
  }
  yield* LEFT_OUT;
}

const answerSchema = z.object({ data: z.object({ has_more: z.boolean().nullish() }) });

function all(client: SourceClient, path: string, filter: Query = {}): AsyncGenerator<unknown> {
  return byLastRecord(client, path, filter, {
    rows: (answer) => listIn(answer, 'data', 'items'),
    hasMore: (answer) => answerSchema.safeParse(answer).data?.data.has_more === true,
    idName: 'key',
  });
}
