import type { Command } from 'commander';
import type { Link } from '../../client/api-types.ts';
import { linkIdOf } from '../api/names.ts';
import { sumsText } from '../terminal/cell.ts';
import { printResource } from '../terminal/output.ts';
import { addArchiveCommands } from './archive-commands.ts';
import { addListCommand } from './list-command.ts';
import { addCreateCommand, addShowCommand, addUpdateCommand } from './resource-commands.ts';

const ELSEWHERE = `
Here \`--url\` is the destination. Put the address of a server before the command:
  $ refbridge --url https://refer.example.com --api-key rb_live_… links `;

export function addLinksCommand(program: Command): void {
  const links = program.command('links').description('links that partners share');

  addCreateCommand(links, 'createLink', {
    describe: 'create a link for a partner',
    help: `
Example:
  $ refbridge links create --partner ana@example.com --url "https://shop.example.com/?plan=pro" --key ana
${ELSEWHERE}create …`,
    skip: ['programId'],
    ownUrl: true,
    show: showLink,
  });

  addArchiveCommands(links, {
    what: 'link',
    named: '<id|key|link>',
    meaning: 'visitors find no link there; its key stays taken',
    deletable: 'that nobody has followed',
    operations: { archive: 'archiveLink', unarchive: 'unarchiveLink', remove: 'deleteLink' },
    resolve: linkIdOf,
  });

  addListCommand(links, 'listLinks', {
    describe: 'list the links of the account with their results',
    columns: {
      id: ({ id }) => id,
      link: ({ shortLink }) => shortLink,
      'leads to': ({ url }) => url,
      partner: ({ partnerName }) => partnerName,
      clicks: ({ clicks }) => clicks,
      leads: ({ leads }) => leads,
      sales: ({ sales }) => sales,
      revenue: ({ revenue }) => sumsText(revenue),
      commission: ({ earnedCommission }) => sumsText(earnedCommission),
      created: ({ createdAt }) => createdAt,
    },
  });

  addShowCommand(links, 'getLink', {
    name: 'show <id|key|link>',
    describe: 'show a link with its results',
    resolve: linkIdOf,
    show: showLink,
  });

  addUpdateCommand(links, 'updateLink', {
    name: 'update <id|key|link>',
    describe: 'change a link',
    help: `
Example:
  $ refbridge links update ana --url https://shop.example.com/spring
${ELSEWHERE}update …
`,
    skip: ['programId'],
    ownUrl: true,
    resolve: linkIdOf,
    show: showLink,
  });
}

function showLink({ shortLink, ...rest }: Link): void {
  printResource({ shortLink, ...rest }, undefined);
}
