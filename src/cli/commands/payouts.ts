import { type Command, Option } from 'commander';
import type { OnProgress } from '../../app/on-progress.ts';
import type { PayoutRun } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addFilters } from '../fields/filters.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printChunks, printJson } from '../terminal/output.ts';
import { counted, createProgress, formatCount } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addEndCommands } from './payout-ends.ts';
import { addPayoutFileCommands } from './payout-files.ts';
import { addSendCommand } from './payout-send.ts';
import { addStatementCommands } from './payout-statements.ts';
import { addShowCommand } from './resource-commands.ts';

const PROGRESS_ENTRIES = 10_000;

export function addPayoutsCommand(program: Command): void {
  const payouts = program.command('payouts').description('payments to partners');

  addListCommand(payouts, 'listPayouts', {
    describe: 'list payouts, newest first',
    columns: {
      id: ({ id }) => id,
      partner: ({ partnerName }) => partnerName,
      amount: ({ amount, currency }) => ({ amount, currency }),
      entries: ({ entryCount }) => entryCount,
      status: ({ status }) => status,
      transfer: ({ transfer }) => transfer?.status ?? null,
      created: ({ createdAt }) => createdAt,
      paid: ({ paidAt }) => paidAt,
    },
  });

  addShowCommand(payouts, 'getPayout', { name: 'show <id>', describe: 'show a payout' });
  addRunCommand(payouts);
  addEndCommands(payouts);
  addExportCommand(payouts);
  addStatementCommands(payouts);
  addPayoutFileCommands(payouts);
  addSendCommand(payouts);
}

interface RunCommandOptions extends AccountOptions {
  at?: string;
  dryRun?: true;
}

function addRunCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'run')
    .description("start a payout for every partner whose due entries reach the program's minimum")
    .option('--at <time>', 'include entries whose hold is over by then, ISO 8601 (default: now)')
    .option('--dry-run', 'only show what would be paid')
    .addHelpText(
      'after',
      `
It can be interrupted, repeated, and run beside the server; nothing is paid twice. Exit code 1 if a payout could not be
started: the others were started, and the next run tries it again.

Example, at the end of a month:
  $ refbridge payouts run --at 2026-12-01 --dry-run
  $ refbridge payouts run --at 2026-12-01
  $ refbridge payouts export --format csv > payouts.csv
  $ refbridge payouts mark-paid $(cut -d, -f1 payouts.csv | grep ^pay_)

Before you pay what the export lists, delete its lines with a file_id or a transfer_status: a payout file or Stripe
pays these.
The last line marks what is left, and nothing that was started since.`,
    );
  command.action(async ({ at, dryRun, json }: RunCommandOptions) => {
    const run = await withApi(command, (api) =>
      api.call('runPayouts', { body: { at, dryRun }, onProgress: progress() }),
    );
    if (json) printJson(run);
    else printRun(run);
    if (run.failed.length > 0) process.exitCode = EXIT.unexpected;
  });
}

/** Prints a progress line every 10,000 entries. */
function progress(): OnProgress {
  let next = PROGRESS_ENTRIES;
  return ({ payoutCount = 0, entryCount = 0 }) => {
    if (entryCount < next) return;
    note(`${counted(payoutCount, 'payout')}, ${entryCount} entries …`);
    while (next <= entryCount) next += PROGRESS_ENTRIES;
  };
}

function printRun({ at, dryRun, payoutCount, totals, data, failed }: PayoutRun): void {
  for (const { partnerName, currency, message } of failed)
    note(`${partnerName} in ${currency.toUpperCase()}: ${message}.`);
  if (payoutCount === 0) {
    if (failed.length === 0) note(`Nothing is due by ${at}.`);
    return;
  }
  print(
    formatTable(
      ['id', 'partner', 'amount', 'entries'],
      data.map(({ id, partnerName, amount, currency, entryCount }) => {
        return [id, partnerName, { amount, currency }, entryCount];
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

interface ExportOptions extends AccountOptions {
  format?: string;
  partner?: string;
}

function addExportCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'export')
    .description('export payouts for a bank or payout provider, oldest first')
    .addOption(new Option('--format <format>', 'csv for people and banks, json for programs').choices(['csv', 'json']));
  const queryOf = addFilters(command, 'exportPayouts', ['format']);
  command.action(async ({ json, ...options }: ExportOptions) => {
    const format = options.format ?? (json ? 'json' : undefined);
    await withApi(command, async (api) => {
      const query = { ...(await queryOf(api, { ...options })), format };
      // When both are on one terminal, the progress line would appear between the lines of the file.
      const progress = createProgress({ json: json ?? (process.stdout.isTTY || undefined) });
      const onProgress: OnProgress = ({ payoutCount = 0 }) =>
        progress.show(`exported ${formatCount(payoutCount)} payouts`);
      const chunks = api.download('exportPayouts', { query, onProgress });
      await printChunks(chunks).finally(progress.clear);
    });
  });
}
