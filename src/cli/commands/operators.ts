import type { Command } from 'commander';
import { type OperatorResource, operatorInput, operatorListQuery } from '../../accounts/operator-schemas.ts';
import { inviteOperator, listOperators, removeOperator } from '../../accounts/operators.ts';
import { parseInput } from '../../schema/parse.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addOperatorsCommand(program: Command): void {
  const operators = program.command('operators').description('people who sign in to the dashboard of one account');

  addListCommand<OperatorResource>(operators, {
    describe: 'list the operators of the account',
    list: (service, accountId, query) => listOperators(service, accountId, parseInput(operatorListQuery, query)),
    columns: {
      id: (operator) => operator.id,
      name: (operator) => operator.name,
      email: (operator) => operator.email,
      role: (operator) => operator.role,
      password: (operator) => (operator.hasPassword ? 'set' : null),
      created: (operator) => operator.createdAt,
      'last seen': (operator) => operator.lastSeenAt,
    },
  });

  accountCommand(operators, 'invite')
    .description('add an operator, and print the address that signs them in')
    .requiredOption('--name <name>', 'their name')
    .requiredOption('--email <email>', 'their e-mail address')
    .option('--role <role>', 'viewer reads, member changes everything but operators, owner does everything', 'member')
    .addHelpText(
      'after',
      `
Nothing is sent by e-mail: pass the address on yourself. It works once, within 30 minutes; for a new one, run
  $ refbridge login-link --operator <email>

Example:
  $ refbridge operators invite --name Ana --email ana@example.com --role viewer`,
    )
    .action(async ({ name, email, role, ...options }: AccountOptions & Record<'name' | 'email' | 'role', string>) => {
      const input = parseInput(operatorInput, { name, email, role });
      const invited = await withAccount(options, (service, accountId) => inviteOperator(service, accountId, input));
      if (options.json) return printJson(invited);
      print(invited.signInUrl);
      note(`For ${invited.operator.name}. It works once, until ${invited.expires}.`);
    });

  accountCommand(operators, 'remove <id>')
    .description('remove an operator and end their sessions; the last owner stays')
    .addHelpText('after', '\nThe id is in `refbridge operators list`.')
    .action(async (id: string, options: AccountOptions) => {
      await withAccount(options, (service, accountId) => removeOperator(service, accountId, id));
      if (options.json) printJson({ id, removed: true });
      else note(`${id} is removed.`);
    });
}
