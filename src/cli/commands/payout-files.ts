import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { NewPayoutFile } from '../../client/api-types.ts';
import { parseCsv } from '../../core/csv.ts';
import { formatMoney } from '../../core/money.ts';
import { validationError } from '../../errors.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printChunks, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

/** `payouts file` and `payouts file-results`. */
export function addPayoutFileCommands(payouts: Command): void {
  addFileCommand(payouts);
  addResultsCommand(payouts);
}

function addFileCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'file')
    .description('make a file that pays payouts: for PayPal, Wise or a bank')
    .requiredOption('--rail <rail>', 'paypal, wise or sepa')
    .option('--currency <code>', 'of the payouts; needed when they wait in several')
    .option('--debtor-name <name>', 'sepa: the name on your account')
    .option('--debtor-iban <iban>', 'sepa: the account that pays')
    .option('--debtor-bic <bic>', 'sepa: its bank')
    .option('--execution-date <date>', 'sepa: when the bank is to pay (default: today)')
    .option('--header <line>', 'wise: the first line of the template that you downloaded')
    .option('--out <file>', 'write the file there instead of to standard output');
  command.action(async ({ out, json, ...options }: AccountOptions & Record<string, string>) => {
    const { rail, currency, debtorName, debtorIban, debtorBic, executionDate, header } = options;
    const debtor = { name: debtorName, iban: debtorIban, bic: debtorBic };
    const extra = { sepa: { debtor, executionDate }, wise: { header } }[rail ?? ''] ?? {};
    await withApi(command, async (api) => {
      const made = await api.call('createPayoutFile', { body: { rail, currency, ...extra } });
      // before the download, so that a file whose download fails is known
      if (json) printJson(made);
      else noteFile(made);
      const chunks = api.download('getPayoutFile', { parameters: { id: made.id } });
      // names accounts: only for the user
      if (out !== undefined) await writeFile(out, chunks, { mode: 0o600 });
      else if (!json) await printChunks(chunks);
    });
  });
}

function noteFile({ id, payoutCount, amount, currency, leftOut, isFull }: NewPayoutFile): void {
  for (const { payoutId, partnerName, reason } of leftOut) note(`Left out ${payoutId}, ${partnerName}: ${reason}.`);
  const sum = formatMoney(amount, currency);
  note(`${id}: ${payoutCount} payouts, ${sum}${isFull ? '; more wait for another file' : ''}.`);
}

function addResultsCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'file-results <csv>')
    .description("record a bank's or provider's report: a CSV file of id,status,reason")
    .option('--file <id>', 'refuse results of payouts that are not in this file');
  command.action(async (path: string, { file: id, json }: AccountOptions & { file?: string }) => {
    const body = { results: resultsIn(readFileSync(path, 'utf8')) };
    const summary = await withApi(
      command,
      async (api) => {
        const recorded = await (id === undefined
          ? api.call('recordPayoutResults', { body })
          : api.call('recordFileResults', { parameters: { id }, body }));
        await api.finish('settle');
        return recorded;
      },
      [id],
    );
    const { paid, failed, unchanged, problems } = summary;
    if (json) printJson(summary);
    else print(`${paid} paid, ${failed} failed, ${unchanged} recorded before`);
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
