import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type FactsImport, importFacts } from '../../exchange/moved/run.ts';
import { createSourceClient } from '../../exchange/sources/client.ts';
import type { Source } from '../../exchange/sources/contract.ts';
import { askSecret } from '../terminal/ask.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, printJson } from '../terminal/output.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { type AccountOptions, accountCommand, changeAccount } from '../with-service.ts';

interface Options extends AccountOptions {
  apiUrl?: string;
  linkUrl?: string;
  program?: string;
  dryRun?: true;
  report?: string;
}

const MORE = ({ title, credentials }: Source) => `
Reads ${title} by its API, and changes nothing there. Credentials come from ${credentials
  .map(({ variable }) => variable)
  .join(' and ')}; a secret
that is missing is asked for, or read from standard input. Try it with --dry-run first: it tells what each record would become.
Imported again, it adds only what is new, and goes on where it was stopped. What was paid there is never paid again.

See docs/moving for what is read. Refused records do not stop the others; exit code 1 if there are any.`;

/** `import <source>` for a source with an API. */
export function addSourceImport(parent: Command, source: Source): void {
  accountCommand(parent, source.name)
    .description(`import programs, partners, customers and commissions from ${source.title}, by its API`)
    .option('--program <id>', 'the program of all partners, whose terms stay; by default those of the source')
    .option('--link-url <url>', 'where links lead whose destination the source does not tell')
    .option('--api-url <url>', `another address of the API (default: ${source.apiUrl})`)
    .option('--dry-run', 'say what would become of each record, and store nothing')
    .option('--report <file>', 'write the result of each record to this new file')
    .addHelpText('after', MORE(source))
    .action((options: Options) => runImport(source, options));
}

async function runImport(source: Source, options: Options): Promise<void> {
  const credentials = await credentialsOf(source);
  const client = createSourceClient({
    title: source.title,
    apiUrl: apiUrlOf(source, options.apiUrl),
    headers: source.headersFor(credentials),
    limit: source.limit,
  });
  const progress = createProgress(options);
  const sentence = 'Stopped. What was read so far was imported; the same command goes on.';
  const imported = await interruptible({ sentence, cleanUp: progress.clear }, () =>
    changeAccount(options, {
      action: 'account.import',
      work: (service, accountId) =>
        importFacts(
          {
            service,
            accountId,
            source: { name: source.name, title: source.title },
            partnersBy: 'source id',
            programId: options.program ?? null,
          },
          source.read(client, { credentials, linkUrl: options.linkUrl ?? null }),
          {
            isDryRun: options.dryRun === true,
            reportPath: options.report === undefined ? null : resolve(options.report),
            onItem: ({ items }) => progress.show(`${formatCount(items)} records`),
          },
        ),
    }),
  ).finally(progress.clear);
  if (options.json) printJson(imported);
  else noteResult(imported);
  if (imported.refused > 0) process.exitCode ??= EXIT.unexpected;
}

/** From the environment; a missing secret is asked for. Never from the arguments, which others can see. */
async function credentialsOf({ title, credentials }: Source): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, variable, question, isSecret } of credentials) {
    const value = process.env[variable]?.trim() || (isSecret ? await askSecret(question) : '');
    if (value === '') throw new CommandError(EXIT.usage, `${title} needs ${variable}: set it in the environment.`);
    found[name] = value;
  }
  return found;
}

function apiUrlOf({ apiUrl }: Source, given: string | undefined): string {
  if (given === undefined) return apiUrl;
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given;
  throw new CommandError(EXIT.usage, `--api-url: ${given} is no http or https URL.`);
}

function noteResult({ dryRun, byKind, leftOut, refused, problems, ...counts }: FactsImport): void {
  for (const { kind, id, result, reason } of problems) {
    note(`${result === 'refused' ? '✗' : '–'} ${kind}${id === '' ? '' : ` ${id}`}: ${reason}`);
  }
  if (refused + leftOut > problems.length)
    note(`… and ${formatCount(refused + leftOut - problems.length)} more: see --report`);
  const would = dryRun ? 'would be ' : '';
  for (const [kind, of] of Object.entries(byKind)) {
    if (of.created + of.changed + of.unchanged + of.refused === 0) continue;
    note(
      `${kind}: ${of.created} ${would}created, ${of.changed} ${would}changed, ${of.unchanged} unchanged, ${of.refused} refused`,
    );
  }
  note(
    `${formatCount(counts.items)} records: ${formatCount(counts.created)} ${would}created, ${formatCount(counts.changed)} ` +
      `${would}changed, ${formatCount(counts.unchanged)} unchanged, ${formatCount(refused)} refused, ` +
      `${formatCount(leftOut)} left out${dryRun ? '; nothing was stored' : ''}.`,
  );
}
