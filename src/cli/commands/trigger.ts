import { type Command, Option } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import { findFixture } from '../fixtures.ts';
import { readPayloads } from '../replay/payload-files.ts';
import { redated } from '../replay/redate.ts';
import { replayPayloads } from '../replay/replay-payloads.ts';
import { addRunOptions, addTargetOptions, RUN_HELP, type RunOptions } from '../replay/run-options.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

export function addTriggerCommand(program: Command): void {
  const command = program
    .command('trigger <processor> <event>')
    .description('deliver one of the example events that come with Refbridge')
    .addOption(new Option('--variant <name>', 'a variant of the example'))
    .option('--keep-dates', 'send the dates of the example instead of moving them to today');
  addRunOptions(addTargetOptions(command))
    .addHelpText(
      'after',
      `
An unknown name prints the available ones. An example is always the same event, dated within the last 24 hours; override
its ids to create a second sale.
${RUN_HELP}

Examples:
  $ refbridge trigger stripe invoice.paid --variant first --endpoint whe_…
  $ refbridge trigger stripe invoice.paid --variant first --endpoint whe_… --override id=evt_{run} --override data.object.id=in_{run}
  $ refbridge trigger shopify orders/paid --endpoint whe_…`,
    )
    .action(async (name: string, event: string, options: RunOptions & { variant?: string; keepDates?: true }) => {
      const processor = PROCESSORS.find((known) => known === name);
      if (processor === undefined) {
        throw new CommandError(EXIT.usage, `There is no processor ${name}. Available: ${PROCESSORS.join(', ')}.`);
      }
      const file = findFixture(processor, event, options.variant);
      await replayPayloads({ ...options, processor }, (adapter) => {
        const payloads = readPayloads([file], adapter);
        const now = Date.now();
        return options.keepDates
          ? payloads
          : payloads.map((read) => ({ ...read, rawBody: redated(read.rawBody, now) }));
      });
    });
}
