import type { Command } from 'commander';
import { programIdOf } from '../api/names.ts';
import { commissionText } from '../terminal/commission-text.ts';
import { addArchiveCommands } from './archive-commands.ts';
import { addListCommand } from './list-command.ts';
import { addCreateCommand, addShowCommand, addUpdateCommand } from './resource-commands.ts';

const EXAMPLES = `
Examples:
  $ refbridge programs update "Example Ltd" --commission 25% --hold-days 14
  $ refbridge programs update prg_… --commission 5EUR,6USD --minimum-payout 50EUR,60USD --duration-months none
`;

export function addProgramsCommand(program: Command): void {
  const programs = program.command('programs').description('terms and portal appearance');

  addListCommand(programs, 'listPrograms', {
    describe: 'list the programs of the account',
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      commission: ({ commission }) => commissionText(commission),
      months: ({ durationMonths }) => durationMonths,
      'hold days': ({ holdDays }) => holdDays,
      basis: ({ amountBasis }) => amountBasis,
    },
  });

  addArchiveCommands(programs, {
    what: 'program',
    named: '<id|name>',
    meaning: 'it takes no new partners or links, its links stop working, and later payments earn nothing',
    deletable: 'without partners and endpoints',
    operations: { archive: 'archiveProgram', unarchive: 'unarchiveProgram', remove: 'deleteProgram' },
    resolve: programIdOf,
  });

  addShowCommand(programs, 'getProgram', {
    name: 'show <id|name>',
    describe: 'show a program',
    resolve: programIdOf,
  });

  addCreateCommand(programs, 'createProgram', {
    describe: 'create another program, with its own terms',
    help: '\nExample:\n  $ refbridge programs create --name Affiliates --commission 20% --duration-months 12',
  });

  addUpdateCommand(programs, 'updateProgram', {
    name: 'update <id|name>',
    describe: 'change terms and portal appearance; past sales keep their terms',
    help: EXAMPLES,
    resolve: programIdOf,
  });
}
