import type { Command } from 'commander';
import type { Page } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { type PartnerName, partnerNames } from '../partner-names.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { type Cell, formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';

export interface ListFilter {
  /** `--partner <id>` */
  flags: string;
  /** The filter's name in the API. */
  field: string;
  describe: string;
}

export interface ListSpecification<Resource> {
  describe: string;
  list(service: Service, accountId: AccountId, query: Record<string, string>): Promise<Page<Resource>>;
  filters?: readonly ListFilter[];
  /** Columns of the table; JSON has all members. */
  columns: Readonly<Record<string, (resource: Resource, partnerName: PartnerName) => Cell>>;
  /** The partner that a resource names, for tables that show the name. */
  partnerIdOf?: (resource: Resource) => string;
}

/** Adds `list`, which prints one page as JSON like the API, or as a table. */
export function addListCommand<Resource>(parent: Command, specification: ListSpecification<Resource>): void {
  const { describe, list, filters = [], columns, partnerIdOf } = specification;
  const command = accountCommand(parent, 'list')
    .description(describe)
    .option('--limit <n>', 'how many to list, 1 to 100 (default: 20)')
    .option('--cursor <id>', 'continue after an earlier page');
  for (const filter of filters) command.option(filter.flags, filter.describe);
  const fields = new Map([
    ['limit', 'limit'],
    ['cursor', 'cursor'],
    ...command.options
      .map((option): [string, string | undefined] => [
        option.attributeName(),
        filters.find((filter) => filter.flags === option.flags)?.field,
      ])
      .filter((pair): pair is [string, string] => pair[1] !== undefined),
  ]);

  command.action(async (options: AccountOptions & Record<string, string>) => {
    const query: Record<string, string> = {};
    for (const [attribute, field] of fields) {
      const value = options[attribute];
      if (value !== undefined) query[field] = value;
    }
    const [page, partnerName] = await withAccount(options, async (service, accountId) => {
      const listed = await list(service, accountId, query);
      const named = options.json || partnerIdOf === undefined ? [] : listed.data.map(partnerIdOf);
      return [listed, await partnerNames(service, accountId, named)] as const;
    });
    if (options.json) printJson(page);
    else printPage(page, columns, partnerName);
  });
}

function printPage<Resource>(
  { data, nextCursor }: Page<Resource>,
  columns: ListSpecification<Resource>['columns'],
  partnerName: PartnerName,
): void {
  if (data.length === 0) note('None.');
  else {
    const cells = Object.values(columns);
    print(
      formatTable(
        Object.keys(columns),
        data.map((resource) => cells.map((cell) => cell(resource, partnerName))),
      ),
    );
  }
  if (nextCursor !== null) note(`There are more; continue with --cursor ${nextCursor}`);
}
