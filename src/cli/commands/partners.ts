import type { Command } from 'commander';
import { createPartner, listPartners } from '../../programs/partners.ts';
import { createPortalLink } from '../../programs/portal-links.ts';
import { type PartnerResource, partnerInput, partnerListQuery } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { collectList } from '../terminal/arguments.ts';
import { note, print, printJson, printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface CreateOptions extends AccountOptions {
  name: string;
  email: string;
  program?: string;
  tenantId?: string;
  code?: string[];
}

export function addPartnersCommand(program: Command): void {
  const partners = program.command('partners').description('partners who refer customers and earn commission');

  accountCommand(partners, 'create')
    .description('enroll a partner')
    .requiredOption('--name <name>', 'name shown in the portal')
    .requiredOption('--email <address>', 'e-mail address, unique within the program')
    .option('--program <id>', 'the program; required only if there are several')
    .option('--tenant-id <id>', 'your own id of the partner')
    .option('--code <codes>', "the partner's discount codes; repeat the option or separate them by commas", collectList)
    .addHelpText('after', '\nExample:\n  $ refbridge partners create --name Ana --email ana@example.com --code ANA10')
    .action(async ({ name, email, program: programId, tenantId, code, ...options }: CreateOptions) => {
      const input = parseInput(partnerInput, { name, email, programId, tenantId, discountCodes: code });
      const partner = await withAccount(options, (service, accountId) => createPartner(service, accountId, input));
      printResource(partner, options.json);
    });

  accountCommand(partners, 'portal-link <id>')
    .description("print an address that opens the partner's portal, once, within seven days")
    .addHelpText(
      'after',
      `
For partners who have no account in your product. The browser that opens it stays signed in for 30 days.

Example:
  $ refbridge partners portal-link ptr_…`,
    )
    .action(async (id: string, options: AccountOptions) => {
      const link = await withAccount(options, (service, accountId) => createPortalLink(service, accountId, id));
      if (options.json) return printJson(link);
      print(link.url);
      note(`For the partner. It works once, until ${link.expires}.`);
    });

  addListCommand<PartnerResource>(partners, {
    describe: 'list the partners of the account',
    list: (service, accountId, query) => listPartners(service, accountId, parseInput(partnerListQuery, query)),
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      email: ({ email }) => email,
      codes: ({ discountCodes }) => discountCodes.join(' '),
      status: ({ status }) => status,
      created: ({ createdAt }) => createdAt,
    },
  });
}
