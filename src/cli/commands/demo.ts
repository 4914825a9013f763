import { type Command, InvalidArgumentError } from 'commander';
import type { DemoOptions } from '../demo/perform.ts';

const PORT_MAX = 65_535;

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show the product: a story with every processor, on a temporary database')
    .option('--once', 'exit after the story instead of serving until Ctrl-C')
    .option('--port <port>', 'port to listen on (default: a free port)', readPort)
    .option('--no-history', 'start with an empty account instead of one with a year of history')
    .option('--json', 'print one JSON object at the end')
    .addHelpText(
      'after',
      `
Needs no configuration and ignores yours: it uses 127.0.0.1 and a temporary folder, which is deleted at the end.
Exit code 1 if the story does not end as expected.

Examples:
  $ refbridge demo
  $ refbridge demo --once --json | jq .sales`,
    )
    .action(async (options: DemoOptions) => (await import('../demo/perform.ts')).perform(options));
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > PORT_MAX)
    throw new InvalidArgumentError('It must be from 1 to 65535.');
  return port;
}
