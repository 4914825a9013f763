import type { FileHandle } from 'node:fs/promises';
import type { Command } from 'commander';
import type { NewPayoutFile } from '../../client/api-types.ts';
import { parseCsv } from '../../core/csv.ts';
import { formatMoney } from '../../core/money.ts';
import { validationError } from '../../errors.ts';
import type { FileResult, FileResults } from '../../payouts/file-schemas.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { describeFailure } from '../terminal/failure.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { createNewFile } from '../terminal/new-file.ts';
import { note, print, printChunks, printJson } from '../terminal/output.ts';
import { counted } from '../terminal/progress.ts';
import type { AccountOptions } from '../with-service.ts';

/** The API takes 64 KiB in one request. */
const PART_BYTES_MAX = 32 * 1024;

/** `payouts file` and `payouts file-results`. */
export function addPayoutFileCommands(payouts: Command): void {
  addFileCommand(payouts);
  addResultsCommand(payouts);
}

function addFileCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'file')
    .description('make a file that pays payouts: for PayPal, Wise or a bank')
    .requiredOption('--rail <rail>', 'paypal, wise or sepa')
    .option('--currency <code>', 'currency of the payouts; required if several are waiting')
    .option('--debtor-name <name>', 'sepa: the name on your account')
    .option('--debtor-iban <iban>', 'sepa: the account that pays')
    .option('--debtor-bic <bic>', 'sepa: the BIC of that account')
    .option('--execution-date <date>', 'sepa: when the bank should pay (default: today)')
    .option('--source-currency <code>', 'wise: the currency of the balance that pays (default: that of the payouts)')
    .option('--header <line>', 'wise: the first line of the template that you downloaded')
    .option('--out <file>', 'write it to this new file instead of to standard output');
  command.action(async ({ out, json, ...options }: AccountOptions & Record<string, string>) => {
    const { rail, currency, debtorName, debtorIban, debtorBic, executionDate, sourceCurrency, header } = options;
    const debtor = { name: debtorName, iban: debtorIban, bic: debtorBic };
    const namesDebtor = rail === 'sepa' || Object.values(debtor).some((value) => value !== undefined);
    // also what belongs to another rail, which the API refuses
    const body = { rail, currency, ...(namesDebtor && { debtor }), executionDate, sourceCurrency, header };
    await withApi(command, async (api) => {
      // before the payouts are in a file, which the same command would not make again
      const file = out === undefined ? null : await createNewFile(out);
      try {
        const made = await api.call('createPayoutFile', { body });
        // before the download, so that a file whose download fails is known
        if (json) printJson(made);
        else noteFile(made);
        await download(api, made.id, file?.handle ?? (json ? null : 'stdout'));
      } catch (error) {
        file?.discard();
        throw error;
      } finally {
        await file?.handle.close();
      }
    });
  });
}

async function download(api: AccountApi, id: string, to: FileHandle | 'stdout' | null): Promise<void> {
  if (to === null) return;
  const chunks = api.download('getPayoutFile', { parameters: { id } });
  try {
    if (to === 'stdout') await printChunks(chunks);
    else await to.writeFile(chunks);
  } catch (error) {
    throw notDownloaded(id, error);
  }
}

/** The same command would not make the file again, because its payouts are in one. */
function notDownloaded(id: string, error: unknown): CommandError {
  const { text, exitCode } = describeFailure(error);
  const message = `${text}\n${id} is made, but not downloaded: get it from the dashboard (Payout files) or GET /api/payouts/files/${id}.`;
  return new CommandError(exitCode, message, error);
}

function noteFile({ id, payoutCount, amount, currency, leftOut, isFull }: NewPayoutFile): void {
  for (const { payoutId, partnerName, reason } of leftOut) note(`Left out ${payoutId}, ${partnerName}: ${reason}.`);
  const sum = formatMoney(amount, currency);
  note(`${id}: ${counted(payoutCount, 'payout')}, ${sum}${isFull ? '; more wait for another file' : ''}.`);
}

function addResultsCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'file-results <csv>')
    .description("record a bank's or provider's report: a CSV file of id,status,reason")
    .option('--file <id>', 'refuse results of payouts that are not in this file');
  command.action(async (path: string, { file, json }: AccountOptions & { file?: string }) => {
    const { fileResultsInput } = await import('../../payouts/file-schemas.ts');
    const { parseInput } = await import('../../schema/parse.ts');
    // the whole report, before any of it is recorded
    const { results } = parseInput(fileResultsInput, { results: resultsIn(await readInputFile(path)) });
    const summary: FileResults = { paid: 0, failed: 0, unchanged: 0, problems: [] };
    const work = async (api: AccountApi) => {
      for (const part of partsOf(results)) addResults(summary, await recordResults(api, part, file));
      await api.finish('settle');
    };
    await withApi(command, work, [file]);
    const { paid, failed, unchanged, problems } = summary;
    if (json) printJson(summary);
    else print(`${paid} paid, ${failed} failed, ${unchanged} recorded before`);
    for (const { id, message } of problems) note(`${id}: ${message}.`);
    if (problems.length > 0) process.exitCode = EXIT.unexpected;
  });
}

function recordResults(api: AccountApi, results: FileResult[], file: string | undefined): Promise<FileResults> {
  if (file === undefined) return api.call('recordPayoutResults', { body: { results } });
  return api.call('recordFileResults', { parameters: { id: file }, body: { results } });
}

/** Parts that fit into a request each. */
function* partsOf(results: readonly FileResult[]): Generator<FileResult[]> {
  let part: FileResult[] = [];
  let bytes = 0;
  for (const result of results) {
    const size = Buffer.byteLength(JSON.stringify(result)) + 1;
    if (part.length > 0 && bytes + size > PART_BYTES_MAX) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(result);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

function addResults(summary: FileResults, { paid, failed, unchanged, problems }: FileResults): void {
  summary.paid += paid;
  summary.failed += failed;
  summary.unchanged += unchanged;
  summary.problems.push(...problems);
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
