import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { createLink, type LinkResource, listLinks } from '../../links/links.ts';
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
  const links = program.command('links').description('what partners share');

  accountCommand(links, 'create')
    .description('a link of a partner')
    .requiredOption('--partner <id>', 'whose it is')
    .requiredOption('--url <url>', 'where it leads')
    .option('--key <key>', 'its last part (default: a made one)')
    .option('--domain <host>', 'a domain that leads to this server (default: the host of BASE_URL)')
    .addHelpText(
      'after',
      '\nExample:\n  $ refbridge links create --partner ptr_… --url "https://shop.example.com/?plan=pro" --key ana',
    )
    .action(async ({ partner: partnerId, url, key, domain, ...options }: CreateOptions) => {
      const body = { partnerId, url, key, domain };
      const link = await withAccount(options, (service, accountId) => createLink(service, accountId, body));
      printResource(link, options.json);
    });

  addListCommand<LinkResource>(links, {
    describe: 'links of the account, with what came of them',
    list: listLinks,
    filters: [
      {
        flags: '--from <time>',
        field: 'from',
        describe: 'count what was recorded from then on: 2026-11-30 (UTC), or ISO 8601',
      },
      { flags: '--to <time>', field: 'to', describe: '… and before then' },
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
