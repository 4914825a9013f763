/**
 * Partner links under load: *ours*, with a click on disk (fsync) before every redirect, against *constant*, an Express
 * app that answers every request with the same 302 and records nothing. Checks afterwards that every issued id is
 * stored.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { areTooManyRefused } from './exactly-once.ts';
import { type LoadResult, load, WARM_UP_REQUESTS } from './load.ts';
import { median } from './median.ts';
import { LINKS, prepareOurs, serverEnvironment } from './prepare.ts';
import { type ServerProcess, startRefbridge, startServerProcess } from './server-process.ts';

/** At 64 connections. */
export const REDIRECT_TARGETS = { ratio: 0.8, p99Ms: 100 };

const CONNECTIONS = 64;
/** A realistic mix of browsers, each with the headers it sends. */
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
];

export interface RedirectResult {
  oursPerSecond: number;
  constantPerSecond: number;
  /** Ours ÷ constant within the same round; the median over all rounds. */
  ratio: number;
  p50Ms: number;
  p99Ms: number;
  /** Our answers with a click id, the other visits, and the clicks in the database. */
  answered: number;
  refused: number;
  recorded: number;
  /** Where the answered ids and the clicks differ, or too many visits were refused. */
  differences: string[];
}

/** Alternates between the two for the given rounds and requests per round. */
export async function benchRedirects(requests: number, rounds: number): Promise<RedirectResult> {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-bench-'));
  await prepareOurs(folder, 'whsec_of_no_delivery');
  const databasePath = join(folder, 'refbridge.db');
  const before = new Set(clicksIn(databasePath));
  const processes: ChildProcess[] = [];
  const started = async (starting: Promise<ServerProcess>) => {
    const server = await starting;
    processes.push(server.process);
    return server;
  };
  try {
    const ours = await started(startRefbridge(serverEnvironment(folder)));
    const constant = await started(startServerProcess('constant', {}));
    const visits = Array.from({ length: requests }, (_, n) => visit(n));
    const answered: string[] = [];
    let refused = 0;
    const measureOurs = async () => {
      const result = await load(ours.port, visits, CONNECTIONS, (head) => {
        const id = clickIdIn(head);
        if (id !== null) answered.push(id);
        return id !== null;
      });
      refused += result.refused;
      return result;
    };
    const measureConstant = () => load(constant.port, visits, CONNECTIONS, (head) => head.startsWith('HTTP/1.1 302 '));
    for (let sent = 0; sent < WARM_UP_REQUESTS; sent += requests) {
      await measureOurs();
      await measureConstant();
    }
    const measured: { ours: LoadResult; constant: LoadResult }[] = [];
    for (let round = 0; round < rounds; round++) {
      measured.push({ constant: await measureConstant(), ours: await measureOurs() });
    }
    const recorded = clicksIn(databasePath).filter((id) => !before.has(id));
    const of = (figure: (round: (typeof measured)[number]) => number) => median(measured.map(figure));
    return {
      oursPerSecond: Math.round(of((round) => round.ours.requestsPerSecond)),
      constantPerSecond: Math.round(of((round) => round.constant.requestsPerSecond)),
      ratio: of((round) => round.ours.requestsPerSecond / round.constant.requestsPerSecond),
      p50Ms: of((round) => round.ours.p50Ms),
      p99Ms: of((round) => round.ours.p99Ms),
      answered: answered.length,
      refused,
      recorded: recorded.length,
      differences: differencesBetween(answered, refused, recorded),
    };
  } finally {
    for (const child of processes) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each answered id is recorded. A refused visit may be, too, because its visitor cannot know what became of it. */
function differencesBetween(answered: readonly string[], refused: number, recorded: readonly string[]): string[] {
  const ids = new Set(answered);
  const rows = new Set(recorded);
  const lost = answered.filter((id) => !rows.has(id)).length;
  const others = recorded.filter((id) => !ids.has(id)).length;
  return [
    ...(ids.size < answered.length ? [`${answered.length - ids.size} click ids answered twice`] : []),
    ...(lost > 0 ? [`${lost} click ids answered and not recorded`] : []),
    ...(others > refused ? [`${others} clicks recorded and not answered, of ${refused} refused visits`] : []),
    ...(areTooManyRefused(refused, answered.length) ? [`${refused} visits refused`] : []),
  ];
}

/** For people. */
export function redirectLines(result: RedirectResult): string[] {
  const { oursPerSecond, constantPerSecond, ratio, p99Ms, answered, refused } = result;
  const against = `${oursPerSecond} and ${constantPerSecond} a second at ${CONNECTIONS} connections`;
  return [
    `links ÷ Express's constant 302:  ${ratio.toFixed(2)} (to reach: ${REDIRECT_TARGETS.ratio}); ${against}`,
    `links, p99: ${p99Ms.toFixed(1)} ms (to stay under: ${REDIRECT_TARGETS.p99Ms}); ${answered} clicks, ${refused} refused`,
  ];
}

/** True for a redirect that carries the id of a recorded click. */
export function hasClickId(head: string): boolean {
  return clickIdIn(head) !== null;
}

function clickIdIn(head: string): string | null {
  if (!head.startsWith('HTTP/1.1 302 ')) return null;
  return /\r\nlocation: [^\r]*[?&]svc_id=(clk_\w+)/i.exec(head)?.[1] ?? null;
}

function visit(n: number): Buffer {
  return visitOf(`bench${n % LINKS}`, n);
}

/** A browser's request that follows a link. */
export function visitOf(key: string, n: number, host = 'refer.example.com'): Buffer {
  return Buffer.from(
    [
      `GET /${key}?utm_source=newsletter&utm_content=${n} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: keep-alive',
      `User-Agent: ${BROWSERS[n % BROWSERS.length]}`,
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'Accept-Language: en-US,en;q=0.9',
      'Accept-Encoding: gzip, deflate, br',
      'Referer: https://blog.example.com/best-lamps',
      'Sec-Fetch-Dest: document',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Site: cross-site',
      '',
      '',
    ].join('\r\n'),
  );
}

function clicksIn(databasePath: string): string[] {
  const database = new Database(databasePath, { readonly: true });
  const rows = database.prepare<[], { id: string }>('SELECT id FROM clicks').all();
  database.close();
  return rows.map(({ id }) => id);
}
