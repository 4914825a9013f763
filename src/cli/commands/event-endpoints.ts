import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { eventEndpointIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addBodyOptions } from '../fields/body.ts';
import { hint, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addCreateCommand, addDeleteCommand, addShowCommand, addUpdateCommand } from './resource-commands.ts';

const NAMED = '<id|url>';

const ELSEWHERE = `
Here \`--url\` is the address that events are sent to. Put the address of a server before the command:
  $ refbridge --url https://refer.example.com --api-key rb_live_… events endpoints `;

/** `events endpoints`: the URLs that events are sent to. */
export function addEventEndpointsCommands(endpoints: Command): void {
  addCreateCommand(endpoints, 'createEventEndpoint', {
    describe: 'create an event endpoint; prints its secret, once',
    help: `
Example:
  $ refbridge events endpoints create --url https://shop.example.com/webhooks --types sale.created,sale.refunded
${ELSEWHERE}create …`,
    ownUrl: true,
    show: (created) => {
      printResource(created, undefined);
      hint(`Keep the secret: it is not shown again. Try it with: refbridge events endpoints test ${created.id}`);
    },
  });

  addListCommand(endpoints, 'listEventEndpoints', {
    describe: 'list the event endpoints of the account',
    columns: {
      id: ({ id }) => id,
      url: ({ url }) => url,
      enabled: ({ enabled, disabledReason }) => (enabled ? 'yes' : `no: ${disabledReason}`),
      'failing since': ({ failingSince }) => failingSince,
      'last success': ({ lastSuccessAt }) => lastSuccessAt,
    },
  });

  addShowCommand(endpoints, 'getEventEndpoint', {
    name: `show ${NAMED}`,
    describe: 'show an event endpoint',
    resolve: eventEndpointIdOf,
  });

  addUpdateCommand(endpoints, 'updateEventEndpoint', {
    name: `update ${NAMED}`,
    describe: 'change an event endpoint; one that is enabled again receives the events that were waiting',
    help: `${ELSEWHERE}update …\n`,
    ownUrl: true,
    resolve: eventEndpointIdOf,
  });

  addShowCommand(endpoints, 'rotateEventEndpointSecret', {
    name: `rotate ${NAMED}`,
    describe: 'replace its secret; for 24 hours the old one signs as well',
    resolve: eventEndpointIdOf,
  });

  addDeleteCommand(endpoints, 'deleteEventEndpoint', {
    name: `delete ${NAMED}`,
    describe: 'delete it; events still waiting for it are not sent',
    resolve: eventEndpointIdOf,
  });
}

/** Commands that send something to an endpoint. */
export function addSendingCommands(endpoints: Command): void {
  const test = apiCommand(endpoints, `test ${NAMED}`).description('have the running server send a test event');
  test.action(async (given: string, { json }: AccountOptions) => {
    const work = async (api: AccountApi) =>
      api.call('testEventEndpoint', { parameters: { id: await eventEndpointIdOf(api, given) } });
    const { id, type, timestamp } = await withApi(test, work, [given]);
    printResource({ id, type, timestamp }, json);
    if (!json) hint(`See the result: refbridge events show ${id}`);
  });

  const resend = apiCommand(endpoints, `resend ${NAMED}`).description('send the events of a period again');
  const bodyOf = addBodyOptions(resend, 'resendEvents');
  resend.action(async (given: string, options: AccountOptions) => {
    const work = async (api: AccountApi) => {
      const body = await bodyOf(api, { ...options });
      return api.call('resendEvents', { parameters: { id: await eventEndpointIdOf(api, given) }, body });
    };
    printResource(await withApi(resend, work, [given]), options.json);
  });
}
