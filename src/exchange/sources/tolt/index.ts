import { z } from 'zod';
import type { SourceItem } from '../../moved/facts.ts';
import type { SourceClient } from '../client.ts';
import type { ReadOptions, Source } from '../contract.ts';
import { SOURCE_FORMS } from '../forms.ts';
import { byLastRecord } from '../pages.ts';
import { itemsOf, listIn, oneProgram } from '../records.ts';
import { commissionItems, customerItems, LEFT_OUT, linkItems, type People, partnerItems } from './map.ts';

/** https://docs.tolt.com */
export const tolt: Source = {
  ...SOURCE_FORMS.tolt,
  limit: { requests: 100, perMs: 60_000 },
  headersFor: ({ key = '' }) => ({ authorization: `Bearer ${key}` }),
  read,
};

const withParameter = z.object({ param: z.string().min(1) });

async function* read(client: SourceClient, { credentials, linkUrl }: ReadOptions): AsyncGenerator<SourceItem> {
  const { programId = '', currency = '' } = credentials;
  const all = (path: string, ...expand: string[]) =>
    listOf(client, path, { program_id: programId, 'expand[]': expand });
  // the program's parameters are those of its links
  const parameters = new Set<string>();
  const links: unknown[] = [];
  for await (const link of all('/links', 'partner')) {
    links.push(link);
    const { data } = withParameter.safeParse(link);
    if (data !== undefined) parameters.add(data.param);
  }
  yield oneProgram('Tolt', [...parameters], programId);
  yield* itemsOf('partner', all('/partners'), (record) => partnerItems(record, programId));
  yield* itemsOf('link', links, (record) => linkItems(record, linkUrl));
  const people: People = new Map();
  yield* itemsOf('customer', all('/customers', 'partner'), (record) => customerItems(record, people));
  const commissions = all('/commissions', 'partner', 'customer');
  yield* itemsOf('commission', commissions, (record) => commissionItems(record, { currency, people }));
  yield* LEFT_OUT;
}

function listOf(client: SourceClient, path: string, filter: Record<string, string | readonly string[]>) {
  return byLastRecord(client, path, filter, { rows: rowsIn, hasMore: hasMoreIn, idName: 'id' });
}

const answerSchema = z.looseObject({ data: z.unknown(), has_more: z.boolean().nullish() });

/** Some lists are in `data`; the list of customers is in `data.data`. */
function rowsIn(answer: unknown): readonly unknown[] {
  return Array.isArray(answerSchema.safeParse(answer).data?.data)
    ? listIn(answer, 'data')
    : listIn(answer, 'data', 'data');
}

function hasMoreIn(answer: unknown): boolean {
  const outer = answerSchema.safeParse(answer).data;
  return (outer?.has_more ?? answerSchema.safeParse(outer?.data).data?.has_more) === true;
}
