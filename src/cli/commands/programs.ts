import type { Command } from 'commander';
import type { Commission } from '../../core/terms.ts';
import { getProgram, listPrograms, type ProgramResource } from '../../programs/programs.ts';
import { printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addProgramsCommand(program: Command): void {
  const programs = program.command('programs').description("terms and portal; changed through the API's /api/programs");

  addListCommand<ProgramResource>(programs, {
    describe: 'programs of the account',
    list: listPrograms,
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
    .description('everything of one program')
    .action(async (id: string, options: AccountOptions) => {
      const shown = await withAccount(options, (service, accountId) => getProgram(service, accountId, id));
      printResource(shown, options.json);
    });
}

function commissionText(commission: Commission): string {
  if (commission.type === 'percentage') return `${commission.rateBasisPoints / 100} %`;
  return `flat ${Object.keys(commission.amounts).join(', ')}`;
}
