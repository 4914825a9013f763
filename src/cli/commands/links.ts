import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { createLink, listLinks } from '../../links/links.ts';
import { type LinkResource, linkInput, linkListQuery } from '../../links/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface CreateOptions extends AccountOptions {
  partner: string;
  url: string;
  key?: string;
  domain?: string;
}

export function addLinksCommand(program: Command): void {
  const links = program.command('links').description('links that partners share');

  accountCommand(links, 'create')
    .description('create a link for a partner')
    .requiredOption('--partner <id>', 'the partner who shares it')
    .requiredOption('--url <url>', 'the destination')
    .option('--key <key>', 'the last part of the link (default: generated)')
    .option('--domain <host>', 'a domain that points to this server (default: the host of BASE_URL)')
    .addHelpText(
      'after',
      '\nExample:\n  $ refbridge links create --partner ptr_… --url "https://shop.example.com/?plan=pro" --key ana',
    )
    .action(async ({ partner: partnerId, url, key, domain, ...options }: CreateOptions) => {
      const body = { partnerId, url, key, domain };
      const link = await withAccount(options, (service, accountId) =>
        createLink(service, accountId, parseInput(linkInput, body)),
      );
      printResource(link, options.json);
    });

  addListCommand<LinkResource>(links, {
    describe: 'list the links of the account with their results',
    list: (service, accountId, query) => listLinks(service, accountId, parseInput(linkListQuery, query)),
    filters: [
      {
        flags: '--from <time>',
        field: 'from',
        describe: 'count results since then: 2026-11-30 (UTC), or ISO 8601',
      },
      { flags: '--to <time>', field: 'to', describe: 'count results before then' },
    ],
    columns: {
      id: ({ id }) => id,
      link: ({ shortLink }) => shortLink,
      'leads to': ({ url }) => url,
      partner: ({ partnerId }) => partnerId,
      clicks: ({ clicks }) => clicks,
      leads: ({ leads }) => leads,
      sales: ({ sales }) => sales,
      revenue: ({ revenue }) => moneyOf(revenue),
      commission: ({ earnedCommission }) => moneyOf(earnedCommission),
    },
  });
}

function moneyOf(amounts: Record<string, number>): string {
  return Object.entries(amounts)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(', ');
}
