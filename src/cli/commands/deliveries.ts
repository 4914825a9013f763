import type { Command } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import { retryDelivery } from '../../deliveries/retry.ts';
import { getDelivery, listDeliveries } from '../../inbox/list.ts';
import { type DeliveryResource, deliveryListQuery } from '../../inbox/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { print, printJson, printResource } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addDeliveriesCommand(program: Command): void {
  const deliveries = program.command('deliveries').description('accepted webhook requests and their outcomes');

  addListCommand<DeliveryResource>(deliveries, {
    describe: 'list deliveries, newest first',
    list: (service, accountId, query) => listDeliveries(service, accountId, parseInput(deliveryListQuery, query)),
    filters: [
      { flags: '--processor <name>', field: 'processor', describe: PROCESSORS.join(', ') },
      {
        flags: '--outcome <outcome>',
        field: 'outcome',
        describe: 'failed, sale, reversal, unattributed, duplicate, noted, ignored, unknown',
      },
      { flags: '--status <status>', field: 'status', describe: 'processed, failed, dead' },
      { flags: '--endpoint <id>', field: 'endpointId', describe: 'only of this endpoint' },
    ],
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

  accountCommand(deliveries, 'show <id>')
    .description('show a delivery with its headers and body')
    .action(async (id: string, options: AccountOptions) => {
      const shown = await withAccountOf(options, (service, accountId) => getDelivery(service, accountId, id));
      const { body, ...delivery } = shown;
      printResource(options.json ? shown : delivery, options.json);
      if (!options.json) print(`\n${body ?? 'The body was deleted after DELIVERY_RETENTION_DAYS.'}`);
    });

  accountCommand(deliveries, 'retry <ids...>')
    .description('process stored deliveries again; nothing counts twice')
    .addHelpText(
      'after',
      `
Exit code 1 if any of them fails again.

Example, retry everything that failed:
  $ refbridge deliveries retry $(refbridge deliveries list --status failed --json | jq -r '.data[].id')`,
    )
    .action(async (ids: string[], options: AccountOptions) => {
      const data = await withAccountOf(options, async (service, accountId) => {
        for (const id of ids) await getDelivery(service, accountId, id);
        const answers = [];
        for (const id of ids) answers.push(await retryDelivery(service, accountId, id));
        return answers;
      });
      if (options.json) printJson({ data });
      else
        print(
          formatTable(
            ['id', 'outcome', 'reason'],
            data.map(({ deliveryId, outcome, reason }) => [deliveryId, outcome, reason]),
          ),
        );
      if (data.some(({ outcome }) => outcome === 'failed')) process.exitCode = EXIT.unexpected;
    });
}
