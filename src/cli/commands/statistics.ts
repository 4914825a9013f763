import type { Command } from 'commander';
import type { Overview, Statistics, StatisticsTotals } from '../../client/api-types.ts';
import { csvLine } from '../../core/csv.ts';
import { formatMoney, minorToDecimal } from '../../core/money.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addFilters } from '../fields/filters.ts';
import { sumsText } from '../terminal/cell.ts';
import type { Columns } from '../terminal/csv.ts';
import { note, print, printJson, printText } from '../terminal/output.ts';
import { counted } from '../terminal/progress.ts';
import { formatRecord } from '../terminal/table.ts';
import type { AccountOptions } from '../with-service.ts';
import { tableOf } from './list-command.ts';

type Interval = Statistics['data'][number];

const CSV_HEADINGS = ['from', 'clicks', 'leads', 'sales', 'revenue', 'commission', 'currency'];

const COLUMNS: Columns<Interval> = {
  from: ({ start }) => start,
  clicks: ({ clicks }) => clicks,
  leads: ({ leads }) => leads,
  sales: ({ sales }) => sales,
  revenue: ({ revenue }) => sumsText(revenue),
  commission: ({ commission }) => sumsText(commission),
};

/** `statistics` and `overview`. */
export function addStatisticsCommands(program: Command): void {
  const statistics = apiCommand(program, 'statistics')
    .description('clicks, leads, sales and commission over time')
    .option('--csv', 'print CSV: a line for each interval and currency, the counts on its first')
    .addHelpText(
      'after',
      '\nExample:\n  $ refbridge statistics --from 2026-11-01 --to 2026-12-01 --interval week --partner ana@example.com',
    );
  const queryOf = addFilters(statistics, 'getStatistics');
  statistics.action(async (options: AccountOptions & { csv?: true }) => {
    const work = async (api: AccountApi) => api.call('getStatistics', { query: await queryOf(api, { ...options }) });
    const answer = await withApi(statistics, work);
    if (options.json) return printJson(answer);
    if (options.csv) return printText([csvLine(CSV_HEADINGS), ...answer.data.flatMap(csvLines)].join(''));
    print(tableOf(answer.data, COLUMNS));
    note(`Total: ${totalsText(answer.totals)}.\nPrevious period: ${totalsText(answer.previous)}.`);
  });

  const overview = apiCommand(program, 'overview').description('what needs attention, and what is owed');
  const overviewQuery = addFilters(overview, 'getOverview');
  overview.action(async (options: AccountOptions) => {
    const work = async (api: AccountApi) =>
      api.call('getOverview', { query: await overviewQuery(api, { ...options }) });
    const answer = await withApi(overview, work);
    if (options.json) printJson(answer);
    else print(formatRecord(overviewRecord(answer)));
  });
}

/** One line per currency. The counts are on the first only, so that each column can be added up. */
function csvLines({ start, clicks, leads, sales, revenue, commission }: Interval): string[] {
  const counts = [clicks, leads, sales];
  const currencies = Object.keys({ ...revenue, ...commission });
  if (currencies.length === 0) return [csvLine([start, ...counts, null, null, null])];
  return currencies.map((currency, index) => {
    const amounts = [revenue, commission].map((sums) => ({ decimal: minorToDecimal(sums[currency] ?? 0, currency) }));
    return csvLine([start, ...(index === 0 ? counts : [null, null, null]), ...amounts, currency.toUpperCase()]);
  });
}

function totalsText({ clicks, leads, sales, revenue, commission }: StatisticsTotals): string {
  const sums = `revenue ${sumsText(revenue) || 'none'}, commission ${sumsText(commission) || 'none'}`;
  return `${counted(clicks, 'click')}, ${counted(leads, 'lead')}, ${counted(sales, 'sale')}, ${sums}`;
}

function overviewRecord({ account, programs, attention, payouts, owed, setup }: Overview): Record<string, string> {
  const counts = Object.entries(attention).map(([name, { count, isMore }]) => [
    words(name),
    `${count}${isMore ? '+' : ''}`,
  ]);
  const missing = Object.entries(setup).filter(([, isDone]) => !isDone);
  return {
    account: `${account.name} (${account.id})`,
    programs: programs.map(({ name }) => name).join(', '),
    ...Object.fromEntries(counts),
    'due payouts': payouts
      .map(({ amount, currency, count }) => `${formatMoney(amount, currency)} in ${count}`)
      .join(', '),
    ...Object.fromEntries(
      Object.entries(owed).map(([name, sums]) => [`owed, ${words(name)}`, sumsText(withoutZeros(sums))]),
    ),
    'not set up': missing.map(([name]) => words(name)).join(', '),
  };
}

/** Without the currencies in which nothing is left, as after a reversal. */
function withoutZeros(sums: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0));
}

/** `failedDeliveries` → `failed deliveries`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
