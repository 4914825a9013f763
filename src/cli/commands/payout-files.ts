import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Actor } from '../../core/actor.ts';
import { parseCsv } from '../../core/csv.ts';
import { formatMoney } from '../../core/money.ts';
import { validationError } from '../../errors.ts';
import { recordFileResults } from '../../payouts/file-results.ts';
import { fileResultsInput, payoutFileInput } from '../../payouts/file-schemas.ts';
import { makePayoutFile, readPayoutFile } from '../../payouts/files.ts';
import { finishSettling } from '../../payouts/settle.ts';
import { parseInput } from '../../schema/parse.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, changeAccount } from '../with-service.ts';

const ACTOR: Actor = { kind: 'command_line' };

/** `payouts file` and `payouts file-results`. */
export function addPayoutFileCommands(payouts: Command): void {
  accountCommand(payouts, 'file')
    .description('make a file that pays payouts: for PayPal, Wise or a bank')
    .requiredOption('--rail <rail>', 'paypal, wise or sepa')
    .option('--currency <code>', 'currency of the payouts; required if several are waiting')
    .option('--debtor-name <name>', 'sepa: the name on your account')
    .option('--debtor-iban <iban>', 'sepa: the account that pays')
    .option('--debtor-bic <bic>', 'sepa: the BIC of that account')
    .option('--execution-date <date>', 'sepa: when the bank should pay (default: today)')
    .option('--header <line>', 'wise: the first line of the template that you downloaded')
    .option('--out <file>', 'write the file there instead of to standard output')
    .action(async ({ out, ...options }: AccountOptions & Record<string, string>) => {
      const { rail, currency, debtorName, debtorIban, debtorBic, executionDate, header } = options;
      const debtor = { name: debtorName, iban: debtorIban, bic: debtorBic };
      const extra = { sepa: { debtor, executionDate }, wise: { header } }[rail ?? ''] ?? {};
      const input = parseInput(payoutFileInput, { rail, currency, ...extra });
      const { made, content } = await changeAccount(options, {
        action: 'payout_file.create',
        async work(service, accountId) {
          const made = await makePayoutFile(service, accountId, input, ACTOR);
          return { made, content: (await readPayoutFile(service, accountId, made.id)).content };
        },
      });
      for (const { payoutId, partnerName, reason } of made.leftOut)
        note(`Left out ${payoutId}, ${partnerName}: ${reason}.`);
      const sum = formatMoney(made.amount, made.currency);
      note(`${made.id}: ${made.payoutCount} payouts, ${sum}${made.isFull ? '; more wait for another file' : ''}.`);
      // contains bank accounts, so only the user may read it
      if (out !== undefined) await writeFile(out, content, { mode: 0o600 });
      if (options.json) printJson(made);
      else if (out === undefined) process.stdout.write(content);
    });

  accountCommand(payouts, 'file-results <csv>')
    .description("record a bank's or provider's report: a CSV file of id,status,reason")
    .action(async (path: string, options: AccountOptions) => {
      const { results } = parseInput(fileResultsInput, { results: resultsIn(readFileSync(path, 'utf8')) });
      const summary = await changeAccount(options, {
        action: 'payout_file.results',
        async work(service, accountId) {
          const recorded = await recordFileResults(service, accountId, { fileId: null, results, actor: ACTOR });
          await finishSettling(service, accountId);
          return recorded;
        },
      });
      const { paid, failed, unchanged, problems } = summary;
      if (options.json) printJson(summary);
      else print(`${paid} paid, ${failed} failed, ${unchanged} already recorded`);
      for (const { id, message } of problems) note(`${id}: ${message}.`);
      if (problems.length > 0) process.exitCode = EXIT.unexpected;
    });
}

/** With or without the header `id,status,reason`. */
function resultsIn(csv: string): object[] {
  const rows = parseCsv(csv);
  const [first] = rows;
  if (first === undefined) throw validationError([{ path: 'results', message: 'The file is empty' }]);
  const hasHeader = first[0]?.trim().toLowerCase() === 'id';
  return rows.slice(hasHeader ? 1 : 0).map(([id, status = '', reason]) => {
    return { id, status: status.trim().toLowerCase(), reason };
  });
}
