/** `npm run bench -- day` */
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listAccounts } from '../../../src/accounts/accounts.ts';
import { openService } from '../../../src/open-service.ts';
import { readConfig } from '../../../src/process/config.ts';
import { createLog } from '../../../src/process/log.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { percentile } from '../growth/client.ts';
import { residentMegabytesOf } from '../growth/process-io.ts';
import { createTemporaryFolder } from '../growth/temporary-folder.ts';
import { type ServerProcess, startRefbridge } from '../server-process.ts';
import { createShops } from './accounts.ts';
import { type Comparison, compare } from './books.ts';
import { runTraffic, type TrafficResult } from './traffic.ts';

const HELP = `npm run bench -- day [options]

A day of a network of many accounts, in ten minutes, against the real server: visitors, sign-ups, invoices and refunds of a
processor that sends some of them twice, sales by API, partners who open their portal, lists. The largest of 10,000 accounts
has a tenth of everything (Zipf); the rate follows the hours of a day and quadruples for a second in every twenty. Requests
are due whether or not the server has answered the earlier ones, and are timed from when they are due.

Prints the times of each kind and compares what was acknowledged with what is stored after the server has stopped. Exit code 1
if anything is lost or doubled.

  --minutes <n>         how long   (default 10; 1 for a smoke test)
  --rate <n>            requests a second, on average and without bursts   (default 250)
  --accounts <n>        accounts   (default 10000)
  --connections <n>     connections to the server   (default 64)
  --database-url <url>  an empty PostgreSQL database; SQLite in a temporary folder otherwise
  --json                print the results as JSON`;

const say = (line: string) => process.stderr.write(`${line}\n`);

interface DayResult {
  accounts: number;
  seconds: number;
  requests: number;
  perSecond: number;
  lagP99Ms: number;
  lagMaxMs: number;
  kinds: { kind: string; count: number; p50Ms: number; p99Ms: number; maxMs: number }[];
  refused: Record<string, number>;
  residentMegabytes: number;
  stored: Comparison[];
}

export async function runDay(parameters: string[]): Promise<void> {
  const { values: options } = parseArgs({
    args: parameters,
    options: {
      minutes: { type: 'string', default: '10' },
      rate: { type: 'string', default: '250' },
      accounts: { type: 'string', default: '10000' },
      connections: { type: 'string', default: '64' },
      'database-url': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (options.help) {
    say(HELP);
    return;
  }
  // so that temporary folders are removed and servers end after Ctrl-C, too
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const result = await holdDay(environmentOf(options['database-url']), {
    accounts: Number(options.accounts),
    seconds: Number(options.minutes) * 60,
    rate: Number(options.rate),
    connections: Number(options.connections),
  });
  process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${linesOf(result).join('\n')}\n`);
  if (result.stored.some(({ lost, doubled }) => lost + doubled > 0)) process.exitCode = 1;
}

interface DaySize {
  accounts: number;
  seconds: number;
  rate: number;
  connections: number;
}

function environmentOf(databaseUrl: string | undefined): NodeJS.ProcessEnv {
  return {
    DATABASE_URL: databaseUrl ?? `file:${join(createTemporaryFolder(), 'refbridge.db')}`,
    SECRET_KEY: '5b'.repeat(32),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    RATE_LIMIT_PER_MINUTE: '1000000',
    // all visitors have the same address here
    CLICKS_PER_MINUTE: '0',
  };
}

async function holdDay(environment: NodeJS.ProcessEnv, { accounts, ...size }: DaySize): Promise<DayResult> {
  const config = readConfig(environment);
  const service = await openService(config, createLog('error', 'json'));
  if ((await listAccounts(service)).length > 0) throw new Error('--database-url: the database must be empty');
  say(`creating ${accounts} accounts`);
  const shops = await createShops(service, accounts);
  await service.database.close();
  const server = await startRefbridge(environment);
  process.once('exit', () => server.process.kill('SIGKILL'));
  say(`${size.seconds} s of traffic`);
  const traffic = await runTraffic({ port: server.port, shops, ...size });
  const residentMegabytes = Math.round(residentMegabytesOf(server.process.pid ?? 0));
  await stop(server);
  const database = await openDatabase(config.database.url, { schema: 'expect' });
  const stored = await compare(database, traffic.books);
  await database.close();
  return { accounts, ...figuresOf(traffic), residentMegabytes, stored };
}

/** Stops gracefully, so that everything in the server's memory is written. */
async function stop({ process: child }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function figuresOf({
  latencies,
  lags,
  refused,
  seconds,
}: TrafficResult): Omit<DayResult, 'accounts' | 'stored' | 'residentMegabytes'> {
  const late = lags.toSorted((a, b) => a - b);
  const kinds = [...latencies].map(([kind, measured]) => {
    const sorted = measured.toSorted((a, b) => a - b);
    const [p50Ms, p99Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    return { kind, count: sorted.length, p50Ms, p99Ms, maxMs: sorted.at(-1) ?? 0 };
  });
  return {
    seconds: Math.round(seconds),
    requests: lags.length,
    perSecond: Math.round(lags.length / seconds),
    lagP99Ms: percentile(late, 0.99),
    lagMaxMs: late.at(-1) ?? 0,
    kinds: kinds.sort((a, b) => b.count - a.count),
    refused: Object.fromEntries(refused),
  };
}

function linesOf(result: DayResult): string[] {
  const cells = (values: readonly (string | number)[]) => values.map((value) => String(value).padStart(13)).join('');
  const refused = Object.entries(result.refused).map(([name, count]) => `${count} × ${name}`);
  return [
    `${result.accounts} accounts, ${result.requests} requests in ${result.seconds} s (${result.perSecond}/s), server ${result.residentMegabytes} MB`,
    `requests were sent up to ${result.lagMaxMs.toFixed(0)} ms late, p99 ${result.lagP99Ms.toFixed(0)} ms`,
    '',
    cells(['', 'requests', 'p50 ms', 'p99 ms', 'longest ms']),
    ...result.kinds.map(({ kind, count, p50Ms, p99Ms, maxMs }) =>
      cells([kind, count, p50Ms.toFixed(1), p99Ms.toFixed(1), maxMs.toFixed(0)]),
    ),
    '',
    `answered with an error: ${refused.length === 0 ? 'none' : refused.join(', ')}`,
    '',
    cells(['', 'acknowledged', 'stored', 'lost', 'doubled']),
    ...result.stored.map(({ subject, acknowledged, stored, lost, doubled }) =>
      cells([subject, acknowledged, stored, lost, doubled]),
    ),
  ];
}
