import type { Command } from 'commander';
import { addListCommand } from './list-command.ts';
import { addShowCommand } from './resource-commands.ts';

export function addCustomersCommand(program: Command): void {
  const customers = program.command('customers').description('your users who came through a link');

  addListCommand(customers, 'listCustomers', {
    describe: 'list the customers of the account, newest first',
    columns: {
      id: ({ id }) => id,
      customer: ({ externalId }) => externalId,
      name: ({ name }) => name,
      email: ({ email }) => email,
      partner: ({ partnerName }) => partnerName,
      created: ({ createdAt }) => createdAt,
    },
  });

  addShowCommand(customers, 'getCustomer', {
    name: 'show <externalId>',
    parameter: 'externalId',
    describe: 'show a customer, by your own id',
  });
}

export function addLeadsCommand(program: Command): void {
  const leads = program.command('leads').description('sign-ups and other conversions before a sale');

  addListCommand(leads, 'listLeads', {
    describe: 'list the leads of the account, newest first',
    columns: {
      id: ({ id }) => id,
      created: ({ createdAt }) => createdAt,
      event: ({ eventName }) => eventName,
      customer: ({ customer }) => customer.externalId,
      name: ({ customer }) => customer.name,
      partner: ({ partnerName }) => partnerName,
      link: ({ linkId }) => linkId,
    },
  });
}
