import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { outcomeOf } from '../demo/outcome.ts';
import { createPerformance } from '../demo/performance.ts';
import { formatOutcome, playOn, stepLine } from '../demo/show.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { tellStories } from '../demo/stories.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { hint, print, printJson } from '../terminal/output.ts';

interface DemoOptions {
  once?: true;
  port?: number;
  json?: true;
  history: boolean;
}

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
    .action(perform);
}

async function perform(options: DemoOptions): Promise<void> {
  const stage = await interruptible({ sentence: 'Stopped.' }, () => setStage(options));
  const interrupted = new Promise((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve).once('SIGHUP', resolve);
  });
  try {
    const ended = await play(stage, options);
    if (!ended) process.exitCode = EXIT.unexpected;
    if (options.once) return;
    hint(`\n${playOn(stage, { signInUrl: await stage.signInUrl(), shopUrl: await stage.openShop() })}`);
    await interrupted;
  } finally {
    await stage.close();
  }
}

/** False if the story did not end as expected. */
async function play(stage: Stage, options: DemoOptions): Promise<boolean> {
  const performance = createPerformance(stage, (step) => {
    if (!options.json) print(stepLine(step));
  });
  await tellStories(performance);
  const outcome = await outcomeOf(stage, performance.steps);
  const ok = outcome.problems.length === 0;
  if (options.json) printJson({ ok, url: stage.url, apiKey: stage.apiKey, steps: performance.steps, ...outcome });
  else print(`\n${formatOutcome(outcome)}`);
  return ok;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > PORT_MAX)
    throw new InvalidArgumentError('It must be from 1 to 65535.');
  return port;
}
