/** `npm run bench`. The load generator runs in this process, so it is fastest for the first contender. */
import { parseArgs } from 'node:util';
import { ADAPTER_TARGETS, adapterLines, benchAdapters } from './adapters.ts';
import { CONTEST_TARGETS, type ContestResult, holdContest, NAMES } from './contest.ts';
import { benchRedirects, REDIRECT_TARGETS, redirectLines } from './redirects.ts';

if (process.argv[2] === 'growth') {
  const { runGrowth } = await import('./growth/command.ts');
  await runGrowth(process.argv.slice(3));
  process.exit();
}

if (process.argv[2] === 'postgres') {
  const { runPostgres } = await import('./postgres/command.ts');
  await runPostgres(process.argv.slice(3));
  process.exit();
}

if (process.argv[2] === 'day') {
  const { runDay } = await import('./day/command.ts');
  await runDay(process.argv.slice(3));
  process.exit();
}

const HELP = `npm run bench -- [options]

Webhooks against two other servers on SQLite, then the partner links, then each adapter. Prints ratios of the same run.
Exit code 1 only when acknowledged and stored differ, or more than 1 % are refused.

  --requests <n>   to each server in a round; six times as many to the links   (default 2000)
  --rounds <n>     of the webhooks   (default 15)
  --json           print the results as JSON

Also, each with its own --help:
  npm run bench -- growth     databases of up to ten million customers
  npm run bench -- postgres   leads, sales and webhooks on PostgreSQL
  npm run bench -- day        a day of many accounts in ten minutes
`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    requests: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});
if (options.help) {
  process.stdout.write(HELP);
  process.exit();
}

const REQUESTS = Number(options.requests);
const ROUNDS = Number(options.rounds);
/** Links are answered faster, so more of them are requested. */
const LINK_SHARE = 6;
const LINK_ROUNDS = 3;

const say = (line: string) => process.stderr.write(`${line}\n`);

/** Prints each result immediately, so that a later failure does not lose it. */
function tell(lines: readonly string[]): void {
  if (!options.json) process.stdout.write(`${lines.join('\n')}\n`);
}

say('webhooks');
const contest = await holdContest(REQUESTS, ROUNDS, say);
tell(contestLines(contest));
say('partner links');
const redirects = await benchRedirects(LINK_SHARE * REQUESTS, LINK_ROUNDS);
tell(redirectLines(redirects));
say('adapters: verify, read and interpret');
const adapters = await benchAdapters();
tell(adapterLines(adapters));

const differences = [...contest.differences, ...redirects.differences.map((difference) => `links: ${difference}`)];
const exact = differences.length === 0;
tell(exact ? ['every acknowledged delivery and click is stored, once'] : ['DIFFERENT:', ...differences]);
if (options.json) {
  const targets = { ...CONTEST_TARGETS, adapters: ADAPTER_TARGETS, redirects: REDIRECT_TARGETS };
  process.stdout.write(`${JSON.stringify({ ...contest, adapters, redirects, targets, differences })}\n`);
}
if (!exact) process.exitCode = 1;

function contestLines({ results, ratios }: ContestResult): string[] {
  const line = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padStart(12)).join('');
  const rows = NAMES.map((name) => {
    const { manyPerSecond, manyP50Ms, manyP99Ms, onePerSecond, residentMegabytes, acknowledged, refused, stored } =
      results[name];
    const latencies = [manyP50Ms.toFixed(1), manyP99Ms.toFixed(1)];
    return line([name, manyPerSecond, ...latencies, onePerSecond, residentMegabytes, acknowledged, refused, stored]);
  });
  const judged = (value: number, target: number) => `${value.toFixed(2)} (to reach: ${target})`;
  return [
    line(['', '32 conn. /s', 'p50 ms', 'p99 ms', '1 conn. /s', 'RSS MB', 'answered', 'refused', 'stored']),
    ...rows,
    '',
    `ours ÷ naive at 32 connections: ${judged(ratios.manyNaive, CONTEST_TARGETS.manyNaive)}`,
    `ours ÷ floor at 32 connections: ${judged(ratios.manyFloor, CONTEST_TARGETS.manyFloor)}`,
    `ours ÷ naive at one connection:  ${judged(ratios.oneNaive, CONTEST_TARGETS.oneNaive)}`,
  ];
}
