/** What an operator runs once a day or a month. */
import { spawn } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from './client.ts';
import { WATCHED_CLICK } from './measure-reads.ts';
import { DOCTOR_ALONE, type OperationResult } from './results.ts';
import type { Serving } from './serving.ts';
import { watchWaits } from './waits.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** An operation that takes longer is abandoned. */
const TIMEOUT_MS = 600_000;

type Step = {
  label: string;
  run(): Promise<string>;
  /** Without anything beside it, to see how long it takes by itself. */
  isAlone?: boolean;
};

/** Each runs together with health checks and clicks, unless it runs alone; a payout run cannot be repeated. */
export async function measureOperations(serving: Serving, say: (line: string) => void): Promise<OperationResult[]> {
  const { send, close } = createClient(serving.port);
  const results: OperationResult[] = [];
  for (const { label, run, isAlone = false } of [...payoutSteps(serving, send), ...commandSteps(serving)]) {
    const waits = isAlone ? null : await watchWaits(serving.port, WATCHED_CLICK);
    await serving.longestDelayMs();
    const startedAt = performance.now();
    const outcome = await run();
    const seconds = (performance.now() - startedAt) / 1000;
    const delayMs = await serving.longestDelayMs();
    results.push({ label, seconds, delayMs, waits: (await waits?.stop()) ?? null, outcome });
    say(`${label}: ${seconds.toFixed(1)} s, ${outcome}`);
  }
  close();
  return results;
}

function payoutSteps({ dataset }: Serving, send: ReturnType<typeof createClient>['send']): Step[] {
  const headers = { authorization: `Bearer ${dataset.apiKey}` };
  const runWith = async (dryRun: boolean) => {
    const body = JSON.stringify({ dryRun });
    const answer = await send({ method: 'POST', path: '/api/payouts/run', headers, body, timeoutMs: TIMEOUT_MS });
    if (answer.status !== 200) return `refused with ${answer.status}`;
    const { payoutCount, entryCount } = JSON.parse(answer.body);
    return `${payoutCount} payouts, ${entryCount} entries`;
  };
  const path = '/api/payouts/export?status=paid';
  return [
    {
      label: 'payouts export',
      run: async () => `status ${(await send({ path, headers, timeoutMs: TIMEOUT_MS, discard: true })).status}`,
    },
    { label: 'payouts dry run', run: () => runWith(true) },
    { label: 'payouts run', run: () => runWith(false) },
    { label: 'payouts run again', run: () => runWith(false) },
  ];
}

function commandSteps({ dataset }: Serving): Step[] {
  const { path } = dataset;
  const runDoctor = async () => ledgerLineOf(await refbridge(dataset.environment, ['doctor']));
  const doctor = { label: 'doctor', run: runDoctor };
  const alone = { label: DOCTOR_ALONE, run: runDoctor, isAlone: true };
  if (path === null) return [doctor, alone];
  const copy = `${path}.backup`;
  const backup = async () => {
    await refbridge(dataset.environment, ['backup', copy]);
    const megabytes = Math.round((statSync(copy, { throwIfNoEntry: false })?.size ?? 0) / 1e6);
    rmSync(copy, { force: true });
    return `${megabytes} MB`;
  };
  return [doctor, alone, { label: 'backup', run: backup }];
}

function ledgerLineOf(printed: string): string {
  return printed.split('\n').find((line) => line.includes(' ledger: ')) ?? printed.trim();
}

/** The output of a command, whatever its exit code. */
async function refbridge(environment: NodeJS.ProcessEnv, parameters: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['src/cli/start.js', ...parameters], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (text) => {
      printed += text;
    });
  }
  await new Promise((resolve) => child.once('close', resolve));
  return printed;
}
