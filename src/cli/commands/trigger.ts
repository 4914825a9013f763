import { type Command, Option } from 'commander';
import { PROCESSORS, type Processor } from '../../core/processor.ts';
import { findFixture } from '../fixtures.ts';
import { readPayloads } from '../replay/payload-files.ts';
import { replayPayloads } from '../replay/replay-payloads.ts';
import { addRunOptions, addTargetOptions, RUN_HELP, type RunOptions } from '../replay/run-options.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

export function addTriggerCommand(program: Command): void {
  const command = program
    .command('trigger <processor> <event>')
    .description('deliver an example event that comes with Refbridge')
    .addOption(new Option('--variant <name>', 'another example of the event'));
  addRunOptions(addTargetOptions(command))
    .addHelpText(
      'after',
      `
A name that is not there lists those that are. An example is always the same event: give it ids of its own to see a
second sale.
${RUN_HELP}

Examples:
  $ refbridge trigger stripe invoice.paid --variant first --endpoint whe_…
  $ refbridge trigger stripe invoice.paid --variant first --endpoint whe_… --override id=evt_{run} --override data.object.id=in_{run}
  $ refbridge trigger shopify orders/paid --endpoint whe_…`,
    )
    .action(async (name: string, event: string, options: RunOptions & { variant?: string }) => {
      const processor = PROCESSORS.find((known) => known === name);
      if (processor === undefined) {
        throw new CommandError(EXIT.usage, `There is no processor ${name}. There are: ${PROCESSORS.join(', ')}.`);
      }
      const file = findFixture(processor, event, options.variant);
      await replayPayloads({ ...options, processor }, (whose: Processor) => readPayloads([file], whose));
    });
}
