import type { Command } from 'commander';
import { getProgram, listPrograms } from '../../programs/programs.ts';
import { type ProgramResource, programListQuery } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { commissionText } from '../terminal/commission-text.ts';
import { printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addProgramsCommand(program: Command): void {
  const programs = program
    .command('programs')
    .description('terms and portal appearance; change them with PATCH /api/programs/:id');

  addListCommand<ProgramResource>(programs, {
    describe: 'list the programs of the account',
    list: (service, accountId, query) => listPrograms(service, accountId, parseInput(programListQuery, query)),
    columns: {
      id: ({ id }) => id,
      name: ({ name }) => name,
      commission: ({ commission }) => commissionText(commission),
      months: ({ durationMonths }) => durationMonths,
      'hold days': ({ holdDays }) => holdDays,
      basis: ({ amountBasis }) => amountBasis,
    },
  });

  accountCommand(programs, 'show <id>')
    .description('show a program')
    .action(async (id: string, options: AccountOptions) => {
      const shown = await withAccountOf(options, (service, accountId) => getProgram(service, accountId, id));
      printResource(shown, options.json);
    });
}
