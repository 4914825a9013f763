import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { guides } from '../../../adapters/guides.ts';
import type { ReconciliationDetail } from '../../client/api-types.ts';
import { ServiceError } from '../../errors.ts';
import type { AccountApi } from '../api/account-api.ts';
import { endpointIdOf } from '../api/names.ts';
import { retryUnavailable } from '../api/retry-unavailable.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import type { Cell } from '../terminal/cell.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { createProgress, formatCount, type Progress } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';

const LOOK_EVERY_MS = 500;

interface Options extends AccountOptions {
  since: string;
  dryRun?: true;
}

type Missing = ReconciliationDetail['missing'][number];

export function addReconcileCommand(program: Command): void {
  const reconcile = apiCommand(program, 'reconcile <processor|id>')
    .description("compare what a processor's API says happened with what arrived, and book what did not")
    .requiredOption('--since <time>', 'compare what happened since then: a time, or a day in UTC')
    .option('--dry-run', 'print what is missing, and store nothing')
    .addHelpText(
      'after',
      `
Nothing counts twice, so it can be repeated at any time. The endpoint needs an access token of the processor's API, which
is stored encrypted; the page of the processor in docs/processors says which. Without a server, the command does the work
itself; when it is stopped, the same command continues.

Exit code 1 if it fails, or if something that was missing cannot be processed.

Examples:
  $ refbridge endpoints update stripe --access-token-stdin
  $ refbridge reconcile stripe --since 2026-11-01 --dry-run
  $ refbridge reconcile stripe --since 2026-11-01`,
    );
  reconcile.action(async (given: string, options: Options) => {
    const progress = createProgress(options);
    const run = await withApi(reconcile, (api) => runToItsEnd(api, given, options, progress), [given]).finally(
      progress.clear,
    );
    if (options.json) printJson(run);
    else show(run);
    if (run.status === 'failed')
      throw new CommandError(EXIT.unexpected, run.error ?? `The reconciliation ${run.id} failed.`);
    if (run.status === 'canceled') {
      throw new CommandError(EXIT.unexpected, `The reconciliation ${run.id} was canceled. What it stored stays.`);
    }
    if (run.counts.failed > 0) process.exitCode = EXIT.unexpected;
  });
}

async function runToItsEnd(
  api: AccountApi,
  given: string,
  options: Options,
  progress: Progress,
): Promise<ReconciliationDetail> {
  const endpointId = await endpointIdOf(api, given);
  await requireAccessToken(api, endpointId);
  const { id } = await begin(api, endpointId, options);
  const sentence = `Stopped watching ${id}. If a server runs, it continues; otherwise, the same command does.`;
  return interruptible({ sentence, cleanUp: progress.clear }, async () => {
    for (;;) {
      await api.finish('reconcile');
      const found = await retryUnavailable(progress, () => api.call('getReconciliation', { parameters: { id } }));
      if (found.endedAt !== null) return found;
      progress.show(progressText(found));
      await sleep(LOOK_EVERY_MS);
    }
  });
}

/** @throws CommandError with the command that sets the token; of an API without a list of the past, the API says why */
async function requireAccessToken(api: AccountApi, id: string): Promise<void> {
  const { processor, hasAccessToken } = await api.call('getWebhookEndpoint', { parameters: { id } });
  const { name, backfill } = guides[processor];
  if (hasAccessToken || 'unavailable' in backfill) return;
  throw new CommandError(
    EXIT.configuration,
    `There is no access token to read with. Set one first: \`refbridge endpoints update ${id} --access-token-stdin\`.\n` +
      `${name}: ${backfill.accessToken}; it needs ${backfill.permission}.`,
  );
}

/** Begins one, or continues the one that is under way, if it looks at the same time in the same way. */
async function begin(api: AccountApi, endpointId: string, { since, dryRun }: Options): Promise<{ id: string }> {
  const body = { since, dryRun: dryRun === true };
  try {
    return await api.call('reconcileWebhookEndpoint', { parameters: { id: endpointId }, body });
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'CONFLICT')) throw error;
    const [latest] = (await api.call('listReconciliations', { query: { endpointId, limit: '1' } })).data;
    const underWay = latest?.endedAt === null ? latest : undefined;
    if (underWay?.dryRun !== body.dryRun || Date.parse(underWay.since) !== Date.parse(since)) throw error;
    note(`Continuing ${underWay.id}, which was created at ${underWay.createdAt}.`);
    return underWay;
  }
}

function progressText({ counts, error }: ReconciliationDetail): string {
  const read = `${formatCount(counts.read)} read, ${formatCount(missingCount(counts))} missing`;
  return error === null ? read : `${read}; trying again: ${error}`;
}

function missingCount({ sales, reversals, unattributed, failed, other }: ReconciliationDetail['counts']): number {
  return sales + reversals + unattributed + failed + other;
}

function show({ counts, missing, dryRun, notRead }: ReconciliationDetail): void {
  if (missing.length > 0) print(formatTable(HEADINGS, missing.map(rowOf)));
  const count = missingCount(counts);
  if (count > missing.length) note(`The latest ${missing.length} of ${formatCount(count)}.`);
  const known = `Read ${formatCount(counts.read)}: ${formatCount(counts.known)} known, ${formatCount(counts.ignored)} ignored`;
  if (count === 0) note(`${known}. Nothing is missing.`);
  else note(`${known}, ${formatCount(count)} missing: ${kindsText(counts)}.${dryRun ? ' Nothing was stored.' : ''}`);
  for (const { what, reason } of notRead) note(`Not read: ${what}. Why: ${reason}.`);
}

const HEADINGS = ['time', 'event', 'invoice', 'amount', 'outcome', 'partner', 'commission', 'delivery'];

function rowOf(item: Missing): Cell[] {
  const { occurredAt, eventType, invoiceId, outcome, partnerName, deliveryId } = item;
  const amount = moneyOf(item.amount, item.currency);
  const commission = moneyOf(item.commissionAmount, item.commissionCurrency);
  return [occurredAt, eventType, invoiceId, amount, outcome, partnerName, commission, deliveryId];
}

function moneyOf(amount: number | null, currency: string | null): Cell {
  return amount === null || currency === null ? null : { amount, currency };
}

/** `2 sales, 1 refund or dispute` */
function kindsText({ sales, reversals, unattributed, failed, other }: ReconciliationDetail['counts']): string {
  const kinds: [number, one: string, more: string][] = [
    [sales, 'sale', 'sales'],
    [reversals, 'refund or dispute', 'refunds or disputes'],
    [unattributed, 'payment of an unknown customer', 'payments of unknown customers'],
    [failed, 'delivery that cannot be processed', 'deliveries that cannot be processed'],
    [other, 'other delivery', 'other deliveries'],
  ];
  return kinds
    .filter(([count]) => count > 0)
    .map(([count, one, more]) => `${formatCount(count)} ${count === 1 ? one : more}`)
    .join(', ');
}
