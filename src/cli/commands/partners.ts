import type { Command } from 'commander';
import { createPartner, listPartners, type PartnerResource } from '../../programs/partners.ts';
import { collectList } from '../terminal/arguments.ts';
import { printResource } from '../terminal/output.ts';
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
  const partners = program.command('partners').description('who refers, and earns');

  accountCommand(partners, 'create')
    .description('enroll a partner')
    .requiredOption('--name <name>', 'as the portal shows it')
    .requiredOption('--email <address>', 'one partner per address and program')
    .option('--program <id>', 'the program; needed only where there are several')
    .option('--tenant-id <id>', 'your own id of the partner')
    .option('--code <codes>', 'discount codes that are theirs; repeated, or with commas', collectList)
    .addHelpText('after', '\nExample:\n  $ refbridge partners create --name Ana --email ana@example.com --code ANA10')
    .action(async ({ name, email, program: programId, tenantId, code, ...options }: CreateOptions) => {
      const body = { name, email, programId, tenantId, discountCodes: code };
      const partner = await withAccount(options, (service, accountId) => createPartner(service, accountId, body));
      printResource(partner, options.json);
    });

  addListCommand<PartnerResource>(partners, {
    describe: 'partners of the account',
    list: listPartners,
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
