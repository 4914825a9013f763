import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { outcomeOf } from '../demo/outcome.ts';
import { createPerformance } from '../demo/performance.ts';
import { formatOutcome, playOn, stepLine } from '../demo/show.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { tellStory } from '../demo/story.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';

interface DemoOptions {
  once?: true;
  port?: number;
  json?: true;
}

const PORT_MAX = 65_535;

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('show everything at work: a story with all five processors, on a database of its own')
    .option('--once', 'end after the story instead of serving on')
    .option('--port <port>', 'listen there (default: a free port)', readPort)
    .option('--json', 'print one JSON object at the end')
    .addHelpText(
      'after',
      `
Needs no configuration and touches none: it uses a temporary folder, which is deleted at the end, and 127.0.0.1.
It compares how the story ends with how it must: exit code 1 when they differ.

Examples:
  $ refbridge demo
  $ refbridge demo --once --json | jq .sales`,
    )
    .action(perform);
}

async function perform(options: DemoOptions): Promise<void> {
  const stage = await setStage(options.port);
  const interrupted = new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  try {
    const ended = await play(stage, options);
    if (!ended) process.exitCode = EXIT.unexpected;
    if (options.once) return;
    note(`\n${playOn(stage)}`);
    await interrupted;
  } finally {
    await stage.close();
  }
}

/** False when the story did not end as it must. */
async function play(stage: Stage, options: DemoOptions): Promise<boolean> {
  const performance = createPerformance(stage, (step) => {
    if (!options.json) print(stepLine(step));
  });
  await tellStory(performance);
  const outcome = await outcomeOf(stage, performance.steps);
  const ok = outcome.problems.length === 0;
  if (options.json) printJson({ ok, url: stage.url, apiKey: stage.apiKey, steps: performance.steps, ...outcome });
  else print(`\n${formatOutcome(outcome)}`);
  return ok;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > PORT_MAX) throw new InvalidArgumentError('It must be 1 to 65535.');
  return port;
}
