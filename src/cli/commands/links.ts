import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { createLink, listLinks } from '../../links/links.ts';
import { type LinkResource, linkInput, linkListQuery } from '../../links/schemas.ts';
import { resolvePartner } from '../../programs/partner-by-email.ts';
import { parseInput } from '../../schema/parse.ts';
import { printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount, withAccountOf } from '../with-service.ts';
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
    .requiredOption('--partner <id>', 'the partner who shares it, by id or e-mail address')
    .requiredOption('--url <url>', 'the destination')
    .option('--key <key>', 'the last part of the link (default: generated)')
    .option('--domain <host>', 'a domain that points to this server (default: the host of BASE_URL)')
    .addHelpText(
      'after',
      '\nExample:\n  $ refbridge links create --partner ana@example.com --url "https://shop.example.com/?plan=pro" --key ana',
    )
    .action(async ({ partner, url, key, domain, ...options }: CreateOptions) => {
      // an address, unlike an id, may be known to several accounts
      const inAccount = partner.includes('@') ? withAccount : withAccountOf;
      const link = await inAccount(options, async (service, accountId) => {
        const partnerId = await resolvePartner(service, accountId, partner);
        return createLink(service, accountId, parseInput(linkInput, { partnerId, url, key, domain }));
      });
      const { shortLink, ...rest } = link;
      printResource(options.json ? link : { shortLink, ...rest }, options.json);
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
    partnerIdOf: ({ partnerId }) => partnerId,
    columns: {
      id: ({ id }) => id,
      link: ({ shortLink }) => shortLink,
      'leads to': ({ url }) => url,
      partner: ({ partnerId }, partnerName) => partnerName(partnerId),
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
