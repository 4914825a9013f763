import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { changeEach } from '../api/change-each.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { print, printJson, printResource, printStored } from '../terminal/output.ts';
import { reportFailures } from '../terminal/report-failures.ts';
import { formatTable } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addShowCommand } from './resource-commands.ts';

const NO_BODY = "The body was deleted, after DELIVERY_RETENTION_DAYS or with somebody's personal data.";

export function addDeliveriesCommand(program: Command): void {
  const deliveries = program.command('deliveries').description('accepted webhook requests and their outcomes');

  addListCommand(deliveries, 'listDeliveries', {
    describe: 'list deliveries, newest first',
    columns: {
      id: ({ id }) => id,
      received: ({ receivedAt }) => receivedAt,
      processor: ({ processor }) => processor,
      event: ({ eventType }) => eventType,
      outcome: ({ outcome }) => outcome,
      reason: ({ reason }) => reason,
      attempts: ({ attempts }) => attempts,
      'next attempt': ({ nextAttemptAt }) => nextAttemptAt,
    },
  });

  addShowCommand(deliveries, 'getDelivery', {
    name: 'show <id>',
    describe: 'show a delivery with its headers and body',
    show: ({ body, ...delivery }) => {
      printResource(delivery, undefined);
      printStored(`\n${body ?? NO_BODY}`);
    },
  });

  const retry = apiCommand(deliveries, 'retry <ids...>')
    .description('process stored deliveries again; nothing counts twice')
    .addHelpText(
      'after',
      `
Exit code 1 if any of them fails again, or its body is gone: the others were processed.

Example, retry everything that failed:
  $ refbridge deliveries retry $(refbridge deliveries list --status failed --all --json | jq -r '.data[].id')`,
    );
  retry.action(async (ids: string[], options: AccountOptions) => {
    const work = async (api: AccountApi) => {
      for (const id of ids) await api.call('getDelivery', { parameters: { id } });
      return changeEach(ids, async (id) => {
        const { id: deliveryId, outcome, reason } = await api.call('retryDelivery', { parameters: { id } });
        return { deliveryId, outcome, reason };
      });
    };
    const { data, failed, stopped } = await withApi(retry, work, ids);
    if (options.json) printJson({ data, failed });
    else if (data.length > 0)
      print(
        formatTable(
          ['id', 'outcome', 'reason'],
          data.map(({ deliveryId, outcome, reason }) => [deliveryId, outcome, reason]),
        ),
      );
    reportFailures({ failed, stopped }, 'processed');
    if (data.some(({ outcome }) => outcome === 'failed')) process.exitCode = EXIT.unexpected;
  });
}
