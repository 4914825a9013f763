import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Adapter } from '../../../adapters/contract/adapter.ts';
import { adapters } from '../../../adapters/index.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson, printStored } from '../terminal/output.ts';
import { outliveReader } from '../terminal/reader.ts';
import { type Expectation, isExpected, parseExpectation } from './expectation.ts';
import { applyOverrides } from './overrides.ts';
import type { Payload } from './payload-files.ts';
import { type Planned, planDeliveries } from './plan.ts';
import type { Answer } from './post-delivery.ts';
import { type RunObserver, runDeliveries } from './run.ts';
import type { RunOptions } from './run-options.ts';
import { formatSummary, type Summary, summaryOf } from './summary.ts';
import { resolveTarget, type Target } from './target.ts';

const PROGRESS_EVERY_MS = 2_000;

/**
 * Signs and posts payloads. Prints a line per request and response and a summary, and sets the exit code.
 *
 * @param read returns the payloads for the processor's adapter
 * @throws CommandError if nothing listens, or an option, secret or file is missing
 */
export async function replayPayloads(options: RunOptions, read: (adapter: Adapter) => Payload[]): Promise<void> {
  outliveReader();
  const target = await resolveTarget(options);
  const overrides = options.override ?? [];
  const expectation = parseExpectation(options.expect ?? []);
  if (expectation === null) throw new Error('the option was validated');
  const adapter = await adapters[target.processor]();
  const payloads = read(adapter);
  // Check all overrides before sending, so that a mistyped path does not leave half a run behind.
  for (const { rawBody, file } of payloads) applyOverrides(rawBody, overrides, { n: 1, round: 1, run: '' }, file);
  const planned = planDeliveries(payloads, options.repeat, seedOf(options));
  const progress = reportProgress(planned.length);
  const startedAt = performance.now();
  const answers = await runDeliveries(
    planned,
    {
      adapter,
      target,
      overrides,
      run: randomBytes(4).toString('hex'),
      tamper: options.tamper === true,
      concurrency: options.concurrency,
      signingTime: options.timestamp ?? Date.now,
    },
    observerFor(options, target, expectation, progress.count),
  ).finally(progress.end);
  if (answers.every(({ status }) => status === null)) throw nothingListens(target, answers[0]);
  const summary = summaryOf(answers, expectation, performance.now() - startedAt);
  if (options.json) printJson({ summary });
  else print(`${options.quiet ? '' : '\n'}${formatSummary(summary)}`);
  if (!isAsExpected(summary)) process.exitCode = EXIT.unexpected;
}

function isAsExpected({ unexpected, missed }: Summary): boolean {
  return unexpected === 0 && missed.length === 0;
}

function seedOf({ shuffle }: RunOptions): number | null {
  if (shuffle === undefined) return null;
  const seed = shuffle === true ? randomBytes(4).readUInt32BE() % 1_000_000_000 : shuffle;
  note(`shuffled with seed ${seed}`);
  return seed;
}

function observerFor(options: RunOptions, target: Target, expectation: Expectation, count: () => void): RunObserver {
  const eventTypes = new Map<number, string | null>();
  const isPrinted = !options.quiet;
  return {
    sending({ n, payload }, eventType, bytes) {
      if (options.json) eventTypes.set(n, eventType);
      else if (isPrinted) {
        print(
          `→ ${n} ${target.processor} ${eventType ?? '(no event type)'}  ${basename(payload.file)}, ${bytes} bytes`,
        );
      }
    },
    answered(delivery, answer) {
      count();
      if (!isPrinted) return;
      const expected = isExpected(expectation, answer);
      const eventType = eventTypes.get(delivery.n) ?? null;
      if (options.json) printJson(jsonLine(delivery, target, { eventType, ...answer, expected }));
      else printStored(answerLine(delivery, answer, expected));
      eventTypes.delete(delivery.n);
    },
  };
}

function jsonLine(
  { n, round, payload }: Planned,
  { processor }: Target,
  result: Answer & { eventType: string | null; expected: boolean },
) {
  return { n, round, file: payload.file, processor, ...result };
}

function answerLine({ n }: Planned, { status, outcome, ms, reason }: Answer, expected: boolean): string {
  const line = `← ${n} ${status ?? '---'} ${outcome}  ${ms} ms`;
  return `${line}${reason === null ? '' : `  ${reason}`}${expected ? '' : '  (unexpected)'}`;
}

/** Prints progress to stderr every 2 s. */
function reportProgress(total: number): { count: () => void; end: () => void } {
  let done = 0;
  const timer = setInterval(() => note(`${done} of ${total} delivered`), PROGRESS_EVERY_MS);
  return {
    count() {
      done += 1;
    },
    end() {
      clearInterval(timer);
    },
  };
}

function nothingListens({ url }: Target, answer: Answer | undefined): CommandError {
  return new CommandError(
    EXIT.unreachable,
    `Nothing answers at ${url} (${answer?.reason ?? 'no answer'}).\n` +
      'Start the server (`refbridge serve`), or give its address with --forward-to <url>.',
  );
}
