import type { Command } from 'commander';
import type { DayEarnings, Earnings } from '../../client/api-types.ts';
import type { AccountApi } from '../api/account-api.ts';
import { partnerIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addFilters } from '../fields/filters.ts';
import { type Columns, csvOf } from '../terminal/csv.ts';
import { note, print, printJson, printText } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { tableOf } from './list-command.ts';

type Row = Earnings | DayEarnings;

const money = (name: 'earned' | 'reversed' | 'held' | 'payable' | 'paid') => (row: Row) => ({
  amount: row[name],
  currency: row.currency,
});

const SUMS: Columns<Row> = {
  earned: money('earned'),
  reversed: money('reversed'),
  held: money('held'),
  payable: money('payable'),
  paid: money('paid'),
};
const DAYS: Columns<Row> = { day: (row) => ('from' in row ? row.from : null), ...SUMS };

/** `partners earnings`. */
export function addPartnerEarningsCommand(partners: Command): void {
  const command = apiCommand(partners, 'earnings <id|email>')
    .description('what a partner has earned, what is held, what is owed and what is paid, by currency')
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      '\nExample, day by day:\n  $ refbridge partners earnings ana@example.com --from 2026-11-01 --to 2026-12-01 --interval day',
    );
  const queryOf = addFilters(command, 'getPartnerEarnings');
  command.action(async (given: string, options: AccountOptions & { csv?: true }) => {
    const work = async (api: AccountApi) =>
      api.call('getPartnerEarnings', {
        parameters: { id: await partnerIdOf(api, given) },
        query: await queryOf(api, { ...options }),
      });
    const report = await withApi(command, work, [given]);
    if (options.json) return printJson(report);
    const data: readonly Row[] = report.data;
    const columns = data.some((row) => 'from' in row) ? DAYS : SUMS;
    if (options.csv) {
      const { heading, line } = csvOf(columns);
      return printText(heading(data[0]) + data.map(line).join(''));
    }
    if (data.length === 0) note('Nothing was earned yet.');
    else print(tableOf(data, columns));
  });
}
