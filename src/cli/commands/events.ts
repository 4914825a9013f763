import type { Command } from 'commander';
import type { EventDelivery } from '../../client/api-types.ts';
import type { AccountApi } from '../api/account-api.ts';
import { changeEach } from '../api/change-each.ts';
import { eventEndpointIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { note, printJson, printStored } from '../terminal/output.ts';
import { reportFailures } from '../terminal/report-failures.ts';
import type { AccountOptions } from '../with-service.ts';
import { addEventEndpointsCommands, addSendingCommands } from './event-endpoints.ts';
import { addListCommand } from './list-command.ts';
import { addShowCommand } from './resource-commands.ts';

export function addEventsCommand(program: Command): void {
  const events = program.command('events').description('events sent to your endpoints, and those endpoints');

  addListCommand(events, 'listEvents', {
    describe: 'list events, newest first',
    columns: ({ endpointId: only }) => ({
      id: ({ id }) => id,
      time: ({ timestamp }) => timestamp,
      type: ({ type }) => type,
      deliveries: ({ deliveries }) =>
        only === undefined
          ? deliveries.map((delivery) => `${delivery.endpointId} ${outcomeOf(delivery)}`).join(', ')
          : deliveries
              .filter(({ endpointId }) => endpointId === only)
              .map(outcomeOf)
              .join(),
    }),
  });

  addShowCommand(events, 'getEvent', {
    name: 'show <id>',
    describe: 'show an event with every attempt to send it',
    show: (event) => printStored(JSON.stringify(event, null, 2)),
  });

  const resend = apiCommand(events, 'resend <ids...>')
    .description('send events again, under the same ids')
    .option('--endpoint <id|url>', 'only to this event endpoint');
  resend.action(async (ids: string[], { json, endpoint }: AccountOptions & { endpoint?: string }) => {
    const work = async (api: AccountApi) => {
      for (const id of ids) await api.call('getEvent', { parameters: { id } });
      const endpointId = endpoint === undefined ? undefined : await eventEndpointIdOf(api, endpoint);
      return changeEach(ids, (id) => api.call('resendEvent', { parameters: { id }, body: { endpointId } }));
    };
    const { data, failed, stopped } = await withApi(resend, work, ids);
    if (json) printJson({ data, failed });
    else note(`${data.length} will be sent by the running server.`);
    reportFailures({ failed, stopped }, 'sent again');
  });

  const endpoints = events.command('endpoints').description('the URLs that events are sent to');
  addEventEndpointsCommands(endpoints);
  addSendingCommands(endpoints);
}

/** `waiting: answered 500` */
function outcomeOf({ status, error }: EventDelivery): string {
  return error === null ? status : `${status}: ${error}`;
}
