import { type Command, Option } from 'commander';
import type { OnProgress } from '../../app/on-progress.ts';
import type { PayoutRun } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import type { PayoutEnd } from '../../core/payout.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addFilters } from '../fields/filters.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printChunks, printJson } from '../terminal/output.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addPayoutFileCommands } from './payout-files.ts';
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
      created: ({ createdAt }) => createdAt,
      paid: ({ paidAt }) => paidAt,
    },
  });

  addShowCommand(payouts, 'getPayout', { name: 'show <id>', describe: 'show a payout' });
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
  addStatementCommands(payouts);
  addPayoutFileCommands(payouts);
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
  $ refbridge payouts mark-paid $(refbridge payouts list --status processing --json | jq -r '.data[].id')`,
    );
  command.action(async ({ at, dryRun, json }: RunCommandOptions) => {
    const [run, nameOf] = await withApi(command, async (api) => {
      const started = await api.call('runPayouts', { body: { at, dryRun }, onProgress: progress() });
      return [started, json ? String : await partnerNames(api, started)] as const;
    });
    if (json) printJson(run);
    else printRun(run, nameOf);
    if (run.failed.length > 0) process.exitCode = EXIT.unexpected;
  });
}

/** The names of the partners that a run lists. */
async function partnerNames(api: AccountApi, { data, failed }: PayoutRun): Promise<(id: string) => string> {
  const names = new Map<string, string>();
  for (const id of new Set([...data, ...failed].map(({ partnerId }) => partnerId))) {
    names.set(id, (await api.call('getPartner', { parameters: { id } })).name);
  }
  return (id) => names.get(id) ?? id;
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

function printRun(
  { at, dryRun, payoutCount, totals, data, failed }: PayoutRun,
  nameOf: (partnerId: string) => string,
): void {
  for (const { partnerId, currency, message } of failed)
    note(`${nameOf(partnerId)} in ${currency.toUpperCase()}: ${message}.`);
  if (payoutCount === 0) {
    if (failed.length === 0) note(`Nothing is due by ${at}.`);
    return;
  }
  print(
    formatTable(
      ['id', 'partner', 'amount', 'entries'],
      data.map(({ id, partnerId, amount, currency, entryCount }) => {
        return [id, nameOf(partnerId), { amount, currency }, entryCount];
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

const ENDS = { paid: 'markPayoutPaid', failed: 'markPayoutFailed', canceled: 'cancelPayout' } as const;

function addEndCommand(payouts: Command, name: string, status: PayoutEnd, describe: string): void {
  const end = apiCommand(payouts, `${name} <ids...>`)
    .description(describe)
    .option('--note <text>', "the bank's reference, or a reason");
  end.action(async (ids: string[], { note: text, json }: AccountOptions & { note?: string }) => {
    const work = async (api: AccountApi) => {
      for (const id of ids) await api.call('getPayout', { parameters: { id } });
      const ended = [];
      for (const id of ids) ended.push(await api.call(ENDS[status], { parameters: { id }, body: { note: text } }));
      await api.finish('settle');
      return ended;
    };
    const data = await withApi(end, work, ids);
    if (json) printJson({ data });
    else
      for (const payout of data)
        print(`${payout.id}  ${formatMoney(payout.amount, payout.currency)}  ${payout.status}`);
  });
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
