import { type Command, Option } from 'commander';
import { formatMoney } from '../../core/money.ts';
import type { PayoutEnd } from '../../core/payout.ts';
import { exportPayouts } from '../../payouts/export.ts';
import { listPayouts, type PayoutResource } from '../../payouts/list.ts';
import { type PayoutRun, runPayouts } from '../../payouts/run.ts';
import { settlePayout } from '../../payouts/states.ts';
import { note, print, printJson, printText } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

/** Who is on record for what is done here. */
const BY = 'command line';
const PROGRESS_ENTRIES = 10_000;

export function addPayoutsCommand(program: Command): void {
  const payouts = program.command('payouts').description('what is paid to partners together');

  addListCommand<PayoutResource>(payouts, {
    describe: 'payouts, the newest first',
    list: listPayouts,
    filters: [
      { flags: '--partner <id>', field: 'partnerId', describe: 'to this partner' },
      { flags: '--status <status>', field: 'status', describe: 'queued, processing, paid, failed, canceled' },
    ],
    columns: {
      id: ({ id }) => id,
      partner: ({ partnerId }) => partnerId,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      entries: ({ entryCount }) => entryCount,
      status: ({ status }) => status,
      created: ({ createdAt }) => createdAt,
      paid: ({ paidAt }) => paidAt,
    },
  });

  addRunCommand(payouts);
  addEndCommand(payouts, 'mark-paid', 'paid', 'the money has left: these payouts are paid');
  addEndCommand(payouts, 'mark-failed', 'failed', 'the money came back: their entries go into the next payout');
  addEndCommand(payouts, 'cancel', 'canceled', 'they are not to be paid: their entries go into the next payout');
  addExportCommand(payouts);
}

interface RunCommandOptions extends AccountOptions {
  at?: string;
  dryRun?: true;
}

function addRunCommand(payouts: Command): void {
  accountCommand(payouts, 'run')
    .description("start every payout that is past its hold and over the program's minimum")
    .option('--at <time>', 'by when a hold must be over, ISO 8601 (default: now)')
    .option('--dry-run', 'only say what would be paid')
    .addHelpText(
      'after',
      `
May be stopped and started again, and run beside the server: nothing is paid twice.

Example, a month's end:
  $ refbridge payouts run --at 2026-12-01 --dry-run
  $ refbridge payouts run --at 2026-12-01
  $ refbridge payouts export --format csv > payouts.csv
  $ refbridge payouts mark-paid $(refbridge payouts list --status processing --json | jq -r '.data[].id')`,
    )
    .action(async ({ at, dryRun, ...options }: RunCommandOptions) => {
      const body = { at: at ?? null, dryRun: dryRun ?? false };
      const run = await withAccount(options, (service, accountId) =>
        runPayouts(service, accountId, body, { by: BY, onProgress: progress() }),
      );
      if (options.json) printJson(run);
      else printRun(run);
    });
}

/** A line for whoever waits, every 10,000 entries. */
function progress(): (soFar: { payoutCount: number; entryCount: number }) => void {
  let next = PROGRESS_ENTRIES;
  return ({ payoutCount, entryCount }) => {
    if (entryCount < next) return;
    note(`${counted(payoutCount, 'payout')}, ${entryCount} entries …`);
    while (next <= entryCount) next += PROGRESS_ENTRIES;
  };
}

function printRun({ at, dryRun, payoutCount, totals, data }: PayoutRun): void {
  if (payoutCount === 0) {
    note(`Nothing is due by ${at}.`);
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
  const sums = totals.map(({ amount, currency }) => formatMoney(amount, currency)).join(', ');
  note(`${dryRun ? 'Would start' : 'Started'} ${counted(payoutCount, 'payout')}: ${sums}.`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function addEndCommand(payouts: Command, name: string, end: PayoutEnd, describe: string): void {
  accountCommand(payouts, `${name} <ids...>`)
    .description(describe)
    .option('--note <text>', "the bank's reference, or the reason")
    .action(async (ids: string[], { note: text, ...options }: AccountOptions & { note?: string }) => {
      const data = await withAccount(options, async (service, accountId) => {
        const ended = [];
        for (const id of ids) ended.push(await settlePayout(service, accountId, id, end, { note: text ?? null }, BY));
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
    .description('payouts for a bank or payout provider, the oldest first')
    .addOption(new Option('--format <format>', 'for people and banks, or for programs').choices(['csv', 'json']))
    .option('--status <status>', 'processing, paid, failed, canceled (default: processing)')
    .option('--partner <id>', 'to this partner')
    .action(async ({ format, status, partner, ...options }: AccountOptions & Record<string, string>) => {
      const query = {
        format: format ?? (options.json ? 'json' : null),
        status: status ?? null,
        partnerId: partner ?? null,
      };
      await withAccount(options, async (service, accountId) => {
        for await (const chunk of exportPayouts(service, accountId, query).chunks) printText(chunk);
      });
    });
}
