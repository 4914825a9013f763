import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CSV_KINDS, type CsvKind } from '../../exchange/csv-fields.ts';
import type { CsvImport } from '../../exchange/import-csv.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, connectionOf, withApi } from '../connection/with-api.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { requireInputFile } from '../terminal/input-file.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, printJson } from '../terminal/output.ts';
import { counted, createProgress, formatCount } from '../terminal/progress.ts';
import { type AccountOptions, changeAccount } from '../with-service.ts';
import { importFailure } from './import-failure.ts';
import { importOnServer, refuseReport } from './on-server.ts';
import { namedProgram } from './program.ts';
import { stoppedSentence } from './stopped.ts';

interface Options extends AccountOptions {
  kind: CsvKind;
  map?: ReadonlyMap<string, string>;
  program?: string;
  dryRun?: true;
  report?: string;
  from?: string;
}

const MORE = `
The first row holds the headings. Columns are recognized by common names, such as "E-mail", "Token" or "Stripe customer id";
name others with --map. Import partners first, then their links, then their customers, then sales, commissions and payouts.

  partners   email, name (or firstName and lastName), tenantId, discountCodes
  links      partner (e-mail address or id), key, url, domain (the service's own by default)
  customers  externalId, partner, email, name, stripeCustomerId (or processor and processorCustomerId)
  sales      invoiceId, partner, customer (its external id), amount, currency, date, commission and status, and more
  commissions id, partner, amount, currency, status, date; saleAmount and customer where the sale is known, and more
  payouts    id, partner, amount, currency, status, date; import the commissions that they paid first

Amounts are decimals, such as 19.90; dates are 2026-03-31 or 2026-03-31T14:30:00Z.
Pending and due commissions become open, paid ones belong to a paid payout and are never paid again, voided ones are
reversed. An unknown status or currency is refused.

A row whose e-mail address, domain and key, or id is known changes nothing, except that a partner gets further discount
codes and a missing tenantId. The same file can be imported again, and an interrupted import continues where it stopped.
Refused rows do not stop the others; exit code 1 if there are any.

With --url, the file is sent to the server, which imports it.

Examples:
  $ refbridge import csv partners.csv --kind partners --dry-run --report report.csv
  $ refbridge import csv links.csv --kind links --map "Referral slug=key"`;

export function addCsvImport(parent: Command): void {
  const command = apiCommand(parent, 'csv <file>')
    .description('import partners, links, customers, sales, commissions or payouts from a CSV file')
    .addOption(new Option('--kind <kind>', 'what the rows are').choices(CSV_KINDS).makeOptionMandatory())
    .option('--map <heading=field>', 'the field that the column of this heading holds; may be repeated', collectMapping)
    .option('--program <id|name>', 'the program of new partners, if there are several')
    .option('--from <service>', 'the service that the file is from, such as Rewardful: labels what was earned there')
    .option('--dry-run', 'print what each row would become, and store nothing')
    .option('--report <file>', 'write the result of each row to this new file')
    .addHelpText('after', MORE);
  command.action((file: string, options: Options) => runImport(command, file, options));
}

async function runImport(command: Command, file: string, options: Options): Promise<void> {
  const path = resolve(file);
  requireInputFile(path);
  const isHere = connectionOf(command).kind === 'local';
  const imported = isHere
    ? await importHere(path, options)
    : await withApi(command, (api) => importThere(api, path, options));
  if (options.json) printJson(imported);
  else noteResult(imported);
  if (imported.refused > 0) process.exitCode ??= EXIT.unexpected;
}

async function importHere(path: string, options: Options): Promise<CsvImport> {
  const { importCsv } = await import('../../exchange/import-csv.ts');
  const { createLocalApi } = await import('../api/local-api.ts');
  const progress = createProgress(options);
  const sentence = stoppedSentence('The rows so far', options);
  return interruptible({ sentence, cleanUp: progress.clear }, () =>
    changeAccount(options, {
      action: 'account.import',
      work: async (service, accountId) => {
        const programId = await namedProgram(createLocalApi(service, accountId), options.program);
        return importCsv(
          { service, accountId, programId, origin: options.from ?? null },
          {
            file: createReadStream(path),
            kind: options.kind,
            columns: options.map ?? new Map(),
            isDryRun: options.dryRun === true,
            reportPath: options.report === undefined ? null : resolve(options.report),
            onRow: ({ rows }) => progress.show(`${formatCount(rows)} rows`),
          },
        );
      },
    }),
  )
    .catch((error: unknown) => {
      throw importFailure(error, sentence);
    })
    .finally(progress.clear);
}

/** As `importHere`, run by the server; its rows have no keys, because those are e-mail addresses. */
async function importThere(api: AccountApi, path: string, options: Options): Promise<CsvImport> {
  const { kind, map, program, from, json } = options;
  refuseReport(options.report);
  const settings = {
    kind,
    fileBytes: statSync(path).size,
    columns: Object.fromEntries(map ?? []),
    programId: await namedProgram(api, program),
    from: from ?? null,
  };
  const dryRun = options.dryRun === true;
  const run = await importOnServer(api, { input: { source: 'csv', settings, dryRun }, path, json });
  const counts = run.counts ?? { created: 0, changed: 0, unchanged: 0, refused: 0, leftOut: 0 };
  const rowsOf = (rows: typeof run.refusedRows) =>
    rows.map(({ line, reason }) => ({ line: line ?? 0, key: '', reason }));
  const [problems, leftOutRows] = [rowsOf(run.refusedRows), rowsOf(run.leftOutRows)];
  const { ignoredColumns } = run;
  return { kind, dryRun, rows: run.progress?.rows ?? 0, ...counts, ignoredColumns, problems, leftOutRows };
}

function noteResult({ dryRun, rows, created, changed, unchanged, ignoredColumns, ...result }: CsvImport): void {
  const { refused, problems, leftOut, leftOutRows } = result;
  if (ignoredColumns.length > 0) note(`Columns not read: ${ignoredColumns.join(', ')}`);
  noteRows('–', leftOutRows, leftOut);
  noteRows('✗', problems, refused);
  const [first, second] = dryRun ? ['would be created', 'would be changed'] : ['created', 'changed'];
  note(
    `${counted(rows, 'row')}: ${formatCount(created)} ${first}, ${formatCount(changed)} ${second}, ` +
      `${formatCount(unchanged)} unchanged, ${formatCount(refused)} refused${dryRun ? '; nothing was stored' : ''}.`,
  );
}

/** The first rows, of `total`. */
function noteRows(sign: string, rows: CsvImport['problems'], total: number): void {
  for (const { line, key, reason } of rows) note(`${sign} line ${line}${key === '' ? '' : ` (${key})`}: ${reason}`);
  if (total > rows.length)
    note(
      `… and ${formatCount(total - rows.length)} more: to see all, run the command beside the database with --report`,
    );
}

function collectMapping(text: string, before: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write a heading and its field, such as "Referral slug=key".');
  return new Map([...before, [text.slice(0, at).trim(), text.slice(at + 1).trim()]]);
}
