/** `npm run bench -- postgres` */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../helpers/embedded-postgres.ts';
import { WARM_UP_REQUESTS } from '../load.ts';
import { type ContestSize, holdPostgresContest, NAMES, type PostgresResult, type Standing } from './contest.ts';

/** Ours ÷ hand-written, at 32 connections and at one, and two of our processes ÷ one; for each subject. */
const POSTGRES_TARGETS = { many: 2, one: 1, two: 1.2 };

const HELP = `npm run bench -- postgres [options]

Leads, sales and Stripe webhooks on PostgreSQL (an embedded one, with fsync), at 32 connections and at one:
hand-written is Express with pg, a pool of 10, and a transaction of six prepared statements for each request; floor stores
one row for each request and checks nothing; ours is the real server, also as two and three processes. They take turns,
after 15,000 requests each (6,000 in the short form) that are not counted. Prints medians of rounds, ratios of the same
round, and CPU time for each request. Exit code 1 only when acknowledged and stored differ, or more than 1 % are refused.

  --requests <n>   at 32 connections in each round, and a fifth of that at one   (default 5000)
  --rounds <n>     of each subject   (default 7)
  --short          three minutes or more: 1500 requests, 3 rounds
  --url <url>      an existing server instead, whose user may create databases; the databases bench_* stay
  --json           print the results as JSON`;

const say = (line: string) => process.stderr.write(`${line}\n`);

export async function runPostgres(parameters: string[]): Promise<void> {
  const { values: options } = parseArgs({
    args: parameters,
    options: {
      requests: { type: 'string' },
      rounds: { type: 'string' },
      short: { type: 'boolean', default: false },
      url: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    say(HELP);
    return;
  }
  const requests = Number(options.requests ?? (options.short ? 1_500 : 5_000));
  const size: ContestSize = {
    requests,
    requestsOfOne: Math.ceil(requests / 5),
    rounds: Number(options.rounds ?? (options.short ? 3 : 7)),
    warmUp: options.short ? 6_000 : WARM_UP_REQUESTS,
  };
  const server = options.url ? { url: options.url, stop: async () => {} } : await startPostgres();
  try {
    const result = await holdPostgresContest(server.url, size, say);
    process.stdout.write(
      options.json ? `${JSON.stringify({ ...result, targets: POSTGRES_TARGETS })}\n` : tableOf(result),
    );
    if (result.differences.length > 0) process.exitCode = 1;
  } finally {
    await server.stop();
  }
}

function tableOf({ subjects, refused, differences }: PostgresResult): string {
  const cells = (values: readonly (string | number)[]) => values.map((value) => String(value).padStart(14)).join('');
  const row = (label: string, { perSecond, p50Ms, p99Ms, ratio, cpu }: Standing) => {
    const times = cpu === null ? [] : [Math.round(cpu.server), Math.round(cpu.postgres)];
    return cells([label, perSecond, p50Ms.toFixed(1), p99Ms.toFixed(1), ratio.toFixed(2), ...times]);
  };
  const lines = subjects.flatMap(({ subject, many, one, two, three }) => [
    cells([subject, '32 conn. /s', 'p50 ms', 'p99 ms', 'ratio', 'CPU µs', 'PostgreSQL µs']),
    ...NAMES.map((name) => row(name, many[name])),
    row('ours, twice', two),
    row('ours, 3 times', three),
    cells(['', '1 conn. /s']),
    ...NAMES.map((name) => row(name, one[name])),
    '',
  ]);
  const { many, one, two } = POSTGRES_TARGETS;
  lines.push(`to reach: ours ÷ hand-written ${many} at 32 connections and ${one} at one; two processes ÷ one ${two}`);
  lines.push(`refused: ${NAMES.map((name) => `${name} ${refused[name]}`).join(', ')}`);
  lines.push(
    ...(differences.length === 0 ? ['everything acknowledged is stored, once'] : ['DIFFERENT:', ...differences]),
  );
  return `${lines.join('\n')}\n`;
}
