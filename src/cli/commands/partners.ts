import type { Command } from 'commander';
import { CODES_IN_FILES, joinCodes } from '../../core/code-list.ts';
import { partnerIdOf } from '../api/names.ts';
import { commissionText } from '../terminal/commission-text.ts';
import { note, print } from '../terminal/output.ts';
import { addArchiveCommands } from './archive-commands.ts';
import { addListCommand } from './list-command.ts';
import { addPartnerEarningsCommand } from './partner-earnings.ts';
import { addEmbedTokenCommand } from './partner-embed-token.ts';
import { addOnboardingCommands } from './partner-onboarding.ts';
import { addCreateCommand, addShowCommand, addUpdateCommand } from './resource-commands.ts';

export function addPartnersCommand(program: Command): void {
  const partners = program.command('partners').description('partners who refer customers and earn commission');

  addCreateCommand(partners, 'createPartner', {
    describe: 'enroll a partner',
    help: '\nExample:\n  $ refbridge partners create --name Ana --email ana@example.com --code ANA10',
  });

  addArchiveCommands(partners, {
    what: 'partner',
    named: '<id|email>',
    meaning: 'their links stop working and later payments earn nothing; what they are owed is still paid',
    deletable: 'that has no links and never had results',
    operations: { archive: 'archivePartner', unarchive: 'unarchivePartner', remove: 'deletePartner' },
    resolve: partnerIdOf,
  });

  addListCommand(partners, 'listPartners', {
    describe: 'list the partners of the account',
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      email: ({ email }) => email,
      codes: ({ discountCodes }) => joinCodes(discountCodes, CODES_IN_FILES),
      commission: ({ commission }) => (commission === null ? null : commissionText(commission)),
      status: ({ status }) => status,
      created: ({ createdAt }) => createdAt,
    },
  });

  addShowCommand(partners, 'getPartner', { name: 'show <id|email>', describe: 'show a partner', resolve: partnerIdOf });

  addUpdateCommand(partners, 'updatePartner', {
    name: 'update <id|email>',
    describe: 'change a partner',
    help: '\nExample:\n  $ refbridge partners update ana@example.com --commission 30%\n',
    skip: ['programId'],
    resolve: partnerIdOf,
  });

  addPartnerEarningsCommand(partners);

  addShowCommand(partners, 'createPortalLink', {
    name: 'portal-link <id|email>',
    describe: "print an address that opens the partner's portal, once, within seven days",
    help: `
For partners who have no account in your product. The browser that opens it stays signed in for 30 days.

Example:
  $ refbridge partners portal-link ana@example.com`,
    resolve: partnerIdOf,
    show: ({ url, expires }) => {
      print(url);
      note(`For the partner. It works once, until ${expires}.`);
    },
  });

  addOnboardingCommands(partners);

  addShowCommand(partners, 'endPortalAccess', {
    name: 'end-portal-access <id|email>',
    describe: "end everything that opens the partner's portal now: links, sessions and embed tokens",
    help: `
For a link that somebody else has opened. It prints how many have ended. Links and tokens that are created later work.

Example:
  $ refbridge partners end-portal-access ana@example.com`,
    resolve: partnerIdOf,
  });

  addEmbedTokenCommand(partners);
}
