import type { Command } from 'commander';
import type { AccountApi, OperationId } from '../api/account-api.ts';
import { type ItemOf, pagesOf } from '../api/names.ts';
import { apiCommand, operatorCommand, withApi } from '../connection/with-api.ts';
import { addFilters } from '../fields/filters.ts';
import { type Columns, csvOf } from '../terminal/csv.ts';
import { note, print, printChunks, printJson } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';

type Paged = { data: unknown[]; nextCursor: string | null };

export interface ListSpecification<Resource> {
  describe: string;
  /** The columns of the table and of the CSV file, or what makes them from the filters; JSON contains all members. */
  columns: Columns<Resource> | ((query: Readonly<Record<string, string>>) => Columns<Resource>);
  /** `list` by default. */
  name?: string;
  /** Over HTTP only a signed-in person may read it, so the command works on the local database only. */
  localOnly?: true;
}

interface ListOptions extends AccountOptions {
  limit?: string;
  cursor?: string;
  all?: true;
  csv?: true;
}

/** Adds `list`, which prints one page or all of them, as a table, as JSON like the API, or as CSV. */
export function addListCommand<Id extends OperationId>(
  parent: Command,
  operationId: Id,
  specification: ListSpecification<ItemOf<Id>>,
): void {
  const { describe, columns, name = 'list', localOnly } = specification;
  const command = (localOnly ? operatorCommand : apiCommand)(parent, name)
    .description(describe)
    .option('--csv', 'print CSV: decimal amounts, untruncated text; the whole list with --all')
    .option('--all', 'list every page, not only the first')
    .option('--limit <n>', 'how many to list, 1 to 100 (default: 20)')
    .option('--cursor <id>', 'continue after an earlier page');
  // the API's file is not a page, and has other columns: `--csv --all` prints a whole list
  const queryOf = addFilters(command, operationId, ['format']);

  command.action(async (options: ListOptions) => {
    const work = async (api: AccountApi): Promise<void> => {
      const { limit = options.all ? '100' : undefined, cursor } = options;
      const filters = await queryOf(api, { ...options });
      const pages = pagesOf(api, operationId as never, { ...filters, limit, cursor }) as AsyncIterable<Paged>;
      const shown = typeof columns === 'function' ? columns(filters) : columns;
      await printPages(options.all ? pages : firstOf(pages), shown as Columns<unknown>, options);
    };
    await withApi(command, work);
  });
}

/** The first page with rows: one of the totals of a year is empty when the partners that it covers were paid nothing. */
async function* firstOf(pages: AsyncIterable<Paged>): AsyncGenerator<Paged> {
  for await (const page of pages) {
    if (page.data.length === 0 && page.nextCursor !== null) continue;
    yield page;
    return;
  }
}

async function printPages(
  pages: AsyncIterable<Paged>,
  columns: Columns<unknown>,
  { json, csv }: ListOptions,
): Promise<void> {
  if (csv && !json) return printChunks(csvChunks(pages, columns));
  const data: unknown[] = [];
  let nextCursor: string | null = null;
  for await (const page of pages) {
    data.push(...page.data);
    nextCursor = page.nextCursor;
  }
  if (json) return printJson({ data, nextCursor });
  if (data.length === 0) note('None.');
  else print(tableOf(data, columns));
  noteMore(nextCursor);
}

function noteMore(nextCursor: string | null): void {
  if (nextCursor !== null) note(`There are more: continue with --cursor ${nextCursor}, or use --all`);
}

async function* csvChunks(pages: AsyncIterable<Paged>, columns: Columns<unknown>): AsyncGenerator<string> {
  const csv = csvOf(columns);
  let hasHeading = false;
  let last: string | null = null;
  for await (const { data, nextCursor } of pages) {
    if (!hasHeading) yield csv.heading(data[0]);
    hasHeading = true;
    last = nextCursor;
    yield data.map(csv.line).join('');
  }
  noteMore(last);
}

/** A table of resources with these columns. */
export function tableOf<Resource>(data: readonly Resource[], columns: Columns<Resource>): string {
  const cells = Object.values(columns);
  return formatTable(
    Object.keys(columns),
    data.map((resource) => cells.map((cell) => cell(resource))),
  );
}
