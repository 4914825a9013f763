import type { Command } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import { retryDelivery } from '../../deliveries/retry.ts';
import { type DeliveryResource, getDelivery, listDeliveries } from '../../inbox/list.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { print, printJson, printResource } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

export function addDeliveriesCommand(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('every webhook request that was accepted, and what became of it');

  addListCommand<DeliveryResource>(deliveries, {
    describe: 'deliveries, the newest first',
    list: listDeliveries,
    filters: [
      { flags: '--processor <name>', field: 'processor', describe: PROCESSORS.join(', ') },
      {
        flags: '--outcome <outcome>',
        field: 'outcome',
        describe: 'failed, sale, reversal, unattributed, duplicate, noted, ignored, unknown',
      },
      { flags: '--status <status>', field: 'status', describe: 'processed, failed, dead' },
      { flags: '--endpoint <id>', field: 'endpointId', describe: 'of this endpoint' },
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
    .description('one delivery with its headers and its body')
    .action(async (id: string, options: AccountOptions) => {
      const shown = await withAccount(options, (service, accountId) => getDelivery(service, accountId, id));
      const { body, ...delivery } = shown;
      printResource(options.json ? shown : delivery, options.json);
      if (!options.json) print(`\n${body ?? 'The body was dropped after DELIVERY_RETENTION_DAYS.'}`);
    });

  accountCommand(deliveries, 'retry <ids...>')
    .description('process stored deliveries again; what they led to already is not doubled')
    .addHelpText(
      'after',
      `
Exit code 1 when one of them still fails.

Example, everything that failed:
  $ refbridge deliveries retry $(refbridge deliveries list --status failed --json | jq -r '.data[].id')`,
    )
    .action(async (ids: string[], options: AccountOptions) => {
      const data = await withAccount(options, async (service, accountId) => {
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
