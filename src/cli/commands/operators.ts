import type { Command } from 'commander';
import { operatorCommand, withApi } from '../connection/with-api.ts';
import { addBodyOptions } from '../fields/body.ts';
import { note, print, printJson, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addOperatorsCommand(program: Command): void {
  const operators = program.command('operators').description('people who sign in to the dashboard of one account');

  addListCommand(operators, 'listOperators', {
    describe: 'list the operators of the account',
    localOnly: true,
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

  const invite = operatorCommand(operators, 'invite')
    .description('add an operator, and print the address that signs them in')
    .requiredOption('--name <name>', 'their name')
    .requiredOption('--email <email>', 'their e-mail address')
    .option('--role <role>', 'viewer reads, member changes most things, owner may do everything', 'member')
    .addHelpText(
      'after',
      `
A member changes everything but operators and API keys with the scope full, and cannot export, import or erase.

Nothing is sent by e-mail: pass the address on yourself. It works once, within 30 minutes; for a new one, run
  $ refbridge login-link --operator <email>

Example:
  $ refbridge operators invite --name Ana --email ana@example.com --role viewer`,
    );
  invite.action(async ({ name, email, role, json }: AccountOptions & Record<'name' | 'email' | 'role', string>) => {
    const invited = await withApi(invite, (api) => api.call('inviteOperator', { body: { name, email, role } }));
    if (json) return printJson(invited);
    print(invited.signInUrl);
    note(`For ${invited.operator.name}. It works once, until ${invited.expires}.`);
  });

  const update = operatorCommand(operators, 'update <id>').description('change the name or the role of an operator');
  const bodyOf = addBodyOptions(update, 'updateOperator');
  update.action(async (id: string, options: AccountOptions) => {
    const changed = await withApi(
      update,
      async (api) => api.call('updateOperator', { parameters: { id }, body: await bodyOf(api, { ...options }) }),
      [id],
    );
    printResource(changed, options.json);
  });

  const remove = operatorCommand(operators, 'remove <id>')
    .description('remove an operator and end their sessions; the last owner stays')
    .addHelpText('after', '\n`refbridge operators list` prints the ids.');
  remove.action(async (id: string, options: AccountOptions) => {
    await withApi(remove, (api) => api.call('removeOperator', { parameters: { id } }), [id]);
    if (options.json) printJson({ id, removed: true });
    else note(`${id} is removed.`);
  });
}

/** `audit-log`. */
export function addAuditLogCommand(program: Command): void {
  addListCommand(program, 'listAuditLog', {
    name: 'audit-log',
    describe: 'who changed what in an account, newest first',
    localOnly: true,
    columns: {
      id: ({ id }) => id,
      when: ({ createdAt }) => createdAt,
      who: ({ actor }) => actor.name,
      as: ({ actor }) => actor.type,
      action: ({ action }) => action,
      what: ({ resourceId }) => resourceId,
      changes: ({ changes }) => Object.keys(changes).join(', '),
    },
  });
}
