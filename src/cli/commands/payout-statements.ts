import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { parseCsv, unmarkedText } from '../../core/csv.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { printChunks, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

/** `payouts statement` and `payouts totals`. */
export function addStatementCommands(payouts: Command): void {
  const statement = apiCommand(payouts, 'statement <id>')
    .description('print the statement of a payout, for its partner')
    .addOption(
      new Option('--format <format>', 'csv, or html for a page to print').choices(['csv', 'html']).default('csv'),
    )
    .addHelpText('after', '\nExample:\n  $ refbridge payouts statement pay_… --format html > statement.html');
  statement.action(async (id: string, { format, json }: AccountOptions & { format: string }) => {
    await withApi(statement, async (api) => {
      const query = { format: json ? 'csv' : format };
      const chunks = api.download('getPayoutStatement', { parameters: { id }, query });
      if (json) printJson({ data: linesIn(await text(chunks)) });
      else await printChunks(chunks);
    });
  });

  addListCommand(payouts, 'listPayoutTotals', {
    name: 'totals',
    describe: 'what partners were paid in a year, for the tax return',
    columns: {
      partner: ({ partnerName }) => partnerName,
      email: ({ partnerEmail }) => partnerEmail,
      payouts: ({ payoutCount }) => payoutCount,
      amount: ({ amountDecimal }) => amountDecimal,
      currency: ({ currency }) => currency.toUpperCase(),
    },
  });
}

/** The lines of one of our CSV texts as objects, with its headings as names. */
function linesIn(csv: string): Record<string, string>[] {
  const [headings = [], ...lines] = parseCsv(csv);
  return lines.map((cells) =>
    Object.fromEntries(headings.map((name, index) => [name, unmarkedText(cells[index] ?? '')])),
  );
}
