import { type Command, Option } from 'commander';
import type { Actor } from '../../core/actor.ts';
import { formatMoney } from '../../core/money.ts';
import type { PayoutEnd } from '../../core/payout.ts';
import { exportPayouts } from '../../payouts/export.ts';
import { getPayout, listPayouts } from '../../payouts/list.ts';
import { runPayouts } from '../../payouts/run.ts';
import {
  type PayoutResource,
  type PayoutRun,
  payoutEndInput,
  payoutExportQuery,
  payoutListQuery,
  payoutRunInput,
} from '../../payouts/schemas.ts';
import { finishSettling } from '../../payouts/settle.ts';
import { settlePayout } from '../../payouts/states.ts';
import { parseInput } from '../../schema/parse.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printChunks, printJson } from '../terminal/output.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccount, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

/** The actor that payouts record for these commands. */
const ACTOR: Actor = { kind: 'command_line' };
const PROGRESS_ENTRIES = 10_000;

export function addPayoutsCommand(program: Command): void {
  const payouts = program.command('payouts').description('payments to partners');

  addListCommand<PayoutResource>(payouts, {
    describe: 'list payouts, newest first',
    list: (service, accountId, query) => listPayouts(service, accountId, parseInput(payoutListQuery, query)),
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'only to this partner' },
      { flags: '--status <status>', field: 'status', describe: 'queued, processing, paid, failed, canceled' },
    ],
    partnerIdOf: ({ partnerId }) => partnerId,
    columns: {
      id: ({ id }) => id,
      partner: ({ partnerId }, partnerName) => partnerName(partnerId),
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      entries: ({ entryCount }) => entryCount,
      status: ({ status }) => status,
      created: ({ createdAt }) => createdAt,
      paid: ({ paidAt }) => paidAt,
    },
  });

  addRunCommand(payouts);
  addEndCommand(payouts, 'mark-paid', 'paid', 'record that the money was sent');
  addEndCommand(
    payouts,
    'mark-failed',
    'failed',
    'record that the money came back; the entries go into the next payout',
  );
  addEndCommand(payouts, 'cancel', 'canceled', 'cancel payouts; their entries go into the next payout');
  addExportCommand(payouts);
}

interface RunCommandOptions extends AccountOptions {
  at?: string;
  dryRun?: true;
}

function addRunCommand(payouts: Command): void {
  accountCommand(payouts, 'run')
    .description("start a payout for every partner whose due entries reach the program's minimum")
    .option('--at <time>', 'include entries whose hold is over by then, ISO 8601 (default: now)')
    .option('--dry-run', 'only show what would be paid')
    .addHelpText(
      'after',
      `
May be interrupted, repeated, and run beside the server; nothing is paid twice. Exit code 1 if a payout could not be
started: the others were, and another run tries it again.

Example, at the end of a month:
  $ refbridge payouts run --at 2026-12-01 --dry-run
  $ refbridge payouts run --at 2026-12-01
  $ refbridge payouts export --format csv > payouts.csv
  $ refbridge payouts mark-paid $(refbridge payouts list --status processing --json | jq -r '.data[].id')`,
    )
    .action(async ({ at, dryRun, ...options }: RunCommandOptions) => {
      const input = parseInput(payoutRunInput, { at, dryRun });
      const run = await withAccount(options, (service, accountId) =>
        runPayouts(service, accountId, input, { actor: ACTOR, onProgress: progress() }),
      );
      if (options.json) printJson(run);
      else printRun(run);
      if (run.failed.length > 0) process.exitCode = EXIT.unexpected;
    });
}

/** Prints a progress line every 10,000 entries. */
function progress(): (soFar: { payoutCount: number; entryCount: number }) => void {
  let next = PROGRESS_ENTRIES;
  return ({ payoutCount, entryCount }) => {
    if (entryCount < next) return;
    note(`${counted(payoutCount, 'payout')}, ${entryCount} entries …`);
    while (next <= entryCount) next += PROGRESS_ENTRIES;
  };
}

function printRun({ at, dryRun, payoutCount, totals, data, failed }: PayoutRun): void {
  for (const { partnerId, currency, message } of failed) note(`${partnerId} in ${currency.toUpperCase()}: ${message}.`);
  if (payoutCount === 0) {
    if (failed.length === 0) note(`Nothing is due by ${at}.`);
    return;
  }
  print(
    formatTable(
      ['id', 'partner', 'amount', 'entries'],
      data.map(({ id, partnerId, amount, currency, entryCount }) => {
        return [id, partnerId, formatMoney(amount, currency), entryCount];
      }),
    ),
  );
  if (data.length < payoutCount) note(`… and ${payoutCount - data.length} more.`);
  const sums = totals.map(sumText).join(', ');
  note(`${dryRun ? 'Would start' : 'Started'} ${counted(payoutCount, 'payout')}: ${sums}.`);
}

function sumText({ amount, currency }: PayoutRun['totals'][number]): string {
  if (amount !== null) return formatMoney(amount, currency);
  return `more than ${formatMoney(Number.MAX_SAFE_INTEGER, currency)}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function addEndCommand(payouts: Command, name: string, status: PayoutEnd, describe: string): void {
  accountCommand(payouts, `${name} <ids...>`)
    .description(describe)
    .option('--note <text>', "the bank's reference, or a reason")
    .action(async (ids: string[], { note: text, ...options }: AccountOptions & { note?: string }) => {
      const settlement = { status, ...parseInput(payoutEndInput, { note: text }), actor: ACTOR };
      const data = await withAccountOf(options, async (service, accountId) => {
        for (const id of ids) await getPayout(service, accountId, id);
        const ended = [];
        for (const id of ids) ended.push(await settlePayout(service, accountId, id, settlement));
        await finishSettling(service, accountId);
        return ended;
      });
      if (options.json) printJson({ data });
      else
        for (const { id, amount, currency, status } of data)
          print(`${id}  ${formatMoney(amount, currency)}  ${status}`);
    });
}

function addExportCommand(payouts: Command): void {
  accountCommand(payouts, 'export')
    .description('export payouts for a bank or payout provider, oldest first')
    .addOption(new Option('--format <format>', 'csv for people and banks, json for programs').choices(['csv', 'json']))
    .option('--status <status>', 'processing, paid, failed, canceled (default: processing)')
    .option('--partner <id>', 'only to this partner')
    .action(async ({ format, status, partner, ...options }: AccountOptions & Record<string, string>) => {
      const asked = { format: format ?? (options.json ? 'json' : null), status, partnerId: partner };
      const query = parseInput(payoutExportQuery, asked);
      await withAccount(options, async (service, accountId) => {
        // On one terminal, the line of progress would stand between the lines of the file.
        const progress = createProgress({ json: options.json ?? (process.stdout.isTTY || undefined) });
        const onProgress = (count: number) => progress.show(`exported ${formatCount(count)} payouts`);
        const { chunks } = exportPayouts(service, accountId, query, onProgress);
        await printChunks(chunks).finally(progress.clear);
      });
    });
}
