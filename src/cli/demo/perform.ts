import { EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { hint, print, printJson } from '../terminal/output.ts';
import { outcomeOf } from './outcome.ts';
import { createPerformance } from './performance.ts';
import { formatOutcome, playOn, stepLine } from './show.ts';
import { type Stage, setStage } from './stage.ts';
import { tellStories } from './stories.ts';

export interface DemoOptions {
  once?: true;
  port?: number;
  json?: true;
  history: boolean;
}

/** Tells the stories on a stage of their own, and leaves it open until Ctrl-C, unless it is to be done once. */
export async function perform(options: DemoOptions): Promise<void> {
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
