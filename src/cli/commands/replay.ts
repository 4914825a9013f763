import type { Command } from 'commander';
import { readPayloads } from '../replay/payload-files.ts';
import { replayPayloads } from '../replay/replay-payloads.ts';
import { addRunOptions, addTargetOptions, processorOption, RUN_HELP, type RunOptions } from '../replay/run-options.ts';

export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay <paths...>')
    .description('sign payload files and deliver them like their processor')
    .addOption(processorOption('--processor <name>'));
  addRunOptions(addTargetOptions(command))
    .option('--event-type <type>', 'for processors that send it in a header (default: from the file name)')
    .addHelpText(
      'after',
      `
Folders are read recursively: all *.json except *.expected.json, sorted by name.
A topic that is sent in a header is taken from the file name: orders_paid--renewal.json is delivered as orders/paid.
Without --override, the exact bytes of the file are sent.
${RUN_HELP}

Examples:
  $ refbridge replay payload.json --endpoint whe_…
  $ refbridge replay payload.json --endpoint whe_… --repeat 100 --concurrency 20 --expect sale=1,duplicate=99
  $ refbridge replay payload.json --endpoint whe_… --tamper --expect rejected
  $ refbridge replay invoice.json --endpoint whe_… --repeat 50 --override id=evt_{run}_{n} --override data.object.id=in_{run}_{n}
  $ refbridge replay fixtures/paddle --processor paddle --secret pdl_… --forward-to http://127.0.0.1:3000/webhooks/paddle/whe_… --shuffle`,
    )
    .action(async (paths: string[], options: RunOptions) => {
      await replayPayloads(options, (adapter) => readPayloads(paths, adapter, options.eventType));
    });
}
