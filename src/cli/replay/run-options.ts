import { type Command, InvalidArgumentError, Option } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import { collectList, readWholeNumber } from '../terminal/arguments.ts';
import { EXPECTATION_HINT, parseExpectation } from './expectation.ts';
import { type Override, parseOverride } from './overrides.ts';
import type { TargetOptions } from './target.ts';

/** What `replay` and `trigger` have in common. */
export interface RunOptions extends TargetOptions {
  eventType?: string;
  override?: Override[];
  repeat: number;
  concurrency: number;
  /** True: a seed is made up. */
  shuffle?: number | true;
  tamper?: true;
  timestamp?: SigningTime;
  expect?: string[];
  quiet?: true;
  json?: true;
}

/** Epoch milliseconds that a signature made now carries. */
export type SigningTime = () => number;

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

export function addTargetOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--endpoint <id>', 'an endpoint of this database: its secret signs, its url is posted to').conflicts([
        'secret',
        'authorization',
        'shopDomain',
      ]),
    )
    .option('--account <id>', 'the account; needed only where there are several')
    .option('--secret <secret>', 'signs where no endpoint is named (or REFBRIDGE_SECRET)')
    .option('--authorization <value>', 'RevenueCat: the authorization header (or REFBRIDGE_AUTHORIZATION)')
    .option('--shop-domain <domain>', 'Shopify: the shop that it comes from')
    .option(
      '--forward-to <url>',
      'where to post; with --endpoint, a URL without a path keeps that of the endpoint',
      readUrl,
    );
}

export function addRunOptions(command: Command): Command {
  return command
    .option('--override <path=value>', 'another value for a member of every payload; repeated', collectOverride)
    .option('--repeat <n>', 'send everything so many times', readWholeNumber, 1)
    .option('--concurrency <n>', 'so many at once', readWholeNumber, 1)
    .option('--shuffle [seed]', 'in random order; the same seed gives the same order', readSeed)
    .option('--tamper', 'change one byte after signing')
    .option('--timestamp <when>', 'sign as of unix seconds, or of -10m, +1h (s, m, h, d)', readTimestamp)
    .option('--expect <outcomes>', `exit 1 unless every answer is ${EXPECTATION_HINT}`, collectExpected)
    .option('--quiet', 'only the summary')
    .option('--json', 'print one JSON object per delivery, and a summary');
}

export function processorOption(flags: string): Option {
  return new Option(flags, 'whose payloads they are').choices(PROCESSORS);
}

export const RUN_HELP = `
Values of --override are JSON, or else text. {n} in them is the number of the delivery, {round} that of the repeat,
{run} differs from run to run. Without them a repeat is the same event again, and a duplicate.
Nothing overridden means: exactly the bytes of the file.

Exit codes: 0 all as expected (without --expect: 2xx), 1 not, 2 usage, 3 nothing listens, 4 no secret.`;

function collectOverride(text: string, before: readonly Override[] = []): Override[] {
  const override = parseOverride(text);
  if (override === null) throw new InvalidArgumentError('It must be path=value, for example data.object.amount=500.');
  return [...before, override];
}

function collectExpected(text: string, before: readonly string[] = []): string[] {
  const words = collectList(text);
  if (parseExpectation(words) === null) throw new InvalidArgumentError(`It must be ${EXPECTATION_HINT}.`);
  return [...before, ...words];
}

function readSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A seed is a whole number; put files before --shuffle, or write --shuffle=7.');
}

function readTimestamp(text: string): SigningTime {
  if (/^\d{1,12}$/.test(text)) return () => Number(text) * 1000;
  const [, sign, count, unit] = /^([+-])(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It must be unix seconds, or like -10m or +1h.');
  const shiftMs = Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS] * 1000;
  return () => Date.now() + (sign === '-' ? -shiftMs : shiftMs);
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text;
  throw new InvalidArgumentError('It must be an http or https URL.');
}
