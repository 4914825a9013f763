import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { CSV_TYPE, type CsvCell, csvLine, type DecimalCell } from '../core/csv.ts';
import { minorToDecimal } from '../core/money.ts';
import { withDefault } from '../schema/fields.ts';
import { fileReply } from './file-reply.ts';
import type { Page } from './page.ts';
import type { OtherAnswer, RawReply } from './route.ts';

/** A list that is requested as a file is read in pages of this size, each when the previous one was sent. */
const PAGE_SIZE = 100;

/** The columns of a list as a file, by heading; amounts are decimal text. */
export type CsvColumns<Resource> = Readonly<Record<string, (resource: Resource) => CsvCell>>;

/** The cell of an amount in minor units. */
export function moneyCell(amount: number | bigint, currency: string): DecimalCell {
  return { decimal: minorToDecimal(amount, currency) };
}

/** The query of a list that can also be answered as a file. */
export function withCsv<Shape extends z.ZodRawShape>(query: z.ZodObject<Shape>) {
  return query.extend({
    format: withDefault(z.enum(['json', 'csv']), 'json').describe(
      '`csv` returns the whole list as one file, whatever `limit` says, with amounts as decimals.',
    ),
  });
}

/** For `otherAnswers` of such a list: the same answer, or a file. */
export function csvAnswer(schema: z.ZodType): OtherAnswer {
  return {
    status: 200,
    description:
      'One page; with `format=csv` the whole list, with cells escaped so that no spreadsheet evaluates them.',
    contentTypes: ['text/csv'],
    schema,
  };
}

interface ListQuery {
  limit: number;
  cursor: string;
  format: 'json' | 'csv';
}

/** Answers with one page, or with all of them as a file named after the list. */
export async function answerList<Query extends ListQuery, Resource>(
  { format, ...query }: Query,
  list: (query: Omit<Query, 'format'>) => Promise<Page<Resource>>,
  { name, columns }: { name: string; columns: CsvColumns<Resource> },
): Promise<Page<Resource> | RawReply> {
  if (format !== 'csv') return list(query);
  // before the answer begins, so that a refused filter is answered with an error
  const first = await list({ ...query, limit: PAGE_SIZE });
  const next = (cursor: string) => list({ ...query, limit: PAGE_SIZE, cursor });
  return fileReply(CSV_TYPE, `${name}.csv`, linesOf(first, next, columns));
}

async function* linesOf<Resource>(
  first: Page<Resource>,
  next: (cursor: string) => Promise<Page<Resource>>,
  columns: CsvColumns<Resource>,
): AsyncGenerator<string> {
  const cells = Object.values(columns);
  yield csvLine(Object.keys(columns));
  for (let page = first; ; ) {
    yield page.data.map((resource) => csvLine(cells.map((cell) => cell(resource)))).join('');
    if (page.nextCursor === null) return;
    await yieldToEventLoop();
    page = await next(page.nextCursor);
  }
}
