import { type Command, InvalidArgumentError, Option } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import { TEXT_MEMBERS, textOption, variableOf } from '../endpoint-options.ts';
import { collectList, readUrl, readWholeNumber } from '../terminal/arguments.ts';
import { EXPECTATION_HINT, parseExpectation } from './expectation.ts';
import { type Override, parseOverride } from './overrides.ts';
import type { TargetOptions } from './target.ts';

/** Options of both `replay` and `trigger`. */
export interface RunOptions extends TargetOptions {
  eventType?: string;
  override?: Override[];
  repeat: number;
  concurrency: number;
  /** True for a random seed. */
  shuffle?: number | true;
  tamper?: true;
  timestamp?: SigningTime;
  expect?: string[];
  quiet?: true;
  json?: true;
}

/** The time, in epoch milliseconds, of a signature created now. */
export type SigningTime = () => number;

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

export function addTargetOptions(command: Command): Command {
  command
    .addOption(
      new Option('--endpoint <id|processor>', 'use the secret and the URL of this endpoint in this database').conflicts(
        ['secret', ...TEXT_MEMBERS.map(({ name }) => name)],
      ),
    )
    .option('--account <id>', 'the account; required only if there are several')
    .option('--secret <secret>', 'signing secret if --endpoint is not given (or REFBRIDGE_SECRET)');
  for (const member of TEXT_MEMBERS) {
    const option = textOption(member);
    if (member.kind === 'secret') option.description += ` (or ${variableOf(member)})`;
    command.addOption(option);
  }
  return command.option(
    '--forward-to <url>',
    "URL to post to; with --endpoint, a URL without a path keeps the endpoint's path",
    readUrl,
  );
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--override <path=value>', 'set a field in every payload; repeat for several', collectOverride)
    .option('--repeat <n>', 'how many times to send everything', readWholeNumber, 1)
    .option('--concurrency <n>', 'how many deliveries to send at once', readWholeNumber, 1)
    .option('--shuffle [seed]', 'send in random order; the same seed gives the same order', readSeed)
    .option('--tamper', 'change one byte after signing')
    .option(
      '--timestamp <when>',
      'signing time: unix seconds, or relative like -10m or +1h (s, m, h, d)',
      readTimestamp,
    )
    .option('--expect <outcomes>', `exit 1 unless every answer is ${EXPECTATION_HINT}`, collectExpected)
    .option('--quiet', 'print only the summary')
    .option('--json', 'print one JSON object per delivery, and a summary');
}

export function processorOption(flags: string): Option {
  return new Option(flags, 'the processor of the payloads').choices(PROCESSORS);
}

export const RUN_HELP = `
Values of --override are read as JSON, else as text. {n} is the number of the delivery, {round} the number of the repeat,
and {run} is unique to each run. Without these placeholders, a repeat is the same event, and therefore a duplicate.

Exit codes: 0 all as expected (without --expect: 2xx), 1 unexpected answers, 2 usage, 3 nothing listens, 4 no secret.`;

function collectOverride(text: string, before: readonly Override[] = []): Override[] {
  const override = parseOverride(text);
  if (override === null) throw new InvalidArgumentError('It must be path=value, for example data.object.amount=500.');
  return [...before, override];
}

function collectExpected(text: string, before: readonly string[] = []): string[] {
  const words = collectList(text);
  // an empty value is often a variable that is not set, and would expect nothing in particular
  if (words.length === 0 || parseExpectation(words) === null)
    throw new InvalidArgumentError(`It must be ${EXPECTATION_HINT}.`);
  return [...before, ...words];
}

function readSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A seed must be a whole number. Put files before --shuffle, or write --shuffle=7.');
}

function readTimestamp(text: string): SigningTime {
  if (/^\d{1,12}$/.test(text)) return () => Number(text) * 1000;
  const [, sign, count, unit] = /^([+-])(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be unix seconds, or relative like -10m or +1h.');
  const shiftMs = Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS] * 1000;
  return () => Date.now() + (sign === '-' ? -shiftMs : shiftMs);
}
