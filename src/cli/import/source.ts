import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ImportInput } from '../../client/api-types.ts';
import { MOVED_KINDS } from '../../exchange/moved/facts.ts';
import type { FactsImport } from '../../exchange/moved/run.ts';
import { CREDENTIAL, CREDENTIAL_RULE, type SourceForm } from '../../exchange/sources/forms.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, connectionOf, withApi } from '../connection/with-api.ts';
import { readUrl } from '../terminal/arguments.ts';
import { askSecret } from '../terminal/ask.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, printJson } from '../terminal/output.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { type AccountOptions, changeAccount } from '../with-service.ts';
import { importFailure } from './import-failure.ts';
import { importOnServer, refuseReport } from './on-server.ts';
import { namedProgram } from './program.ts';
import { stoppedSentence } from './stopped.ts';

interface Options extends AccountOptions {
  apiUrl?: string;
  linkUrl?: string;
  program?: string;
  dryRun?: true;
  report?: string;
}

const NAMES = new Intl.ListFormat('en-GB', { type: 'conjunction' });

const MORE = ({ name, title, credentials }: SourceForm) => `
Reads ${title} through its API, and changes nothing there.
It needs ${NAMES.format(credentials.map(({ variable }) => variable))} in the environment.
A secret that is missing there is prompted for, or read from standard input.
Try --dry-run first: it prints what each record would become.
With --url, the server does the import, and keeps the credentials only until it is done.
An import that runs again adds what is new, updates the status of commissions, and continues where it stopped. What was
paid there is never paid again.

See docs/moving/${name}.md for what is read. Refused records do not stop the others; exit code 1 if there are any.`;

/** `import <source>` for a source with an API. */
export function addSourceImport(parent: Command, source: SourceForm): void {
  const command = apiCommand(parent, source.name)
    .description(`import ${whatIsRead(source)} from ${source.title}, through its API`)
    .option('--program <id|name>', `the program of all partners, whose terms stay; by default ${programOf(source)}`)
    .option('--link-url <url>', `the destination of links for which ${source.title} reports none`, readUrl)
    .option('--api-url <url>', `another address of the API (default: ${source.apiUrl})`, readUrl)
    .option('--dry-run', 'print what each record would become, and store nothing')
    .option('--report <file>', 'write the result of each record to this new file')
    .addHelpText('after', MORE(source));
  command.action((options: Options) => runImport(command, source, options));
}

function whatIsRead({ hasPrograms }: SourceForm): string {
  return `${hasPrograms ? 'programs, ' : ''}partners, links, customers and commissions`;
}

function programOf({ title, hasPrograms }: SourceForm): string {
  return hasPrograms ? `those of ${title}` : 'the only one of the account';
}

async function runImport(command: Command, source: SourceForm, options: Options): Promise<void> {
  const isHere = connectionOf(command).kind === 'local';
  const credentials = await credentialsOf(source);
  const imported = isHere
    ? await importHere(source, credentials, options)
    : await withApi(command, (api) => importThere(api, source, credentials, options));
  if (options.json) printJson(imported);
  else noteResult(imported);
  if (imported.refused > 0) process.exitCode ??= EXIT.unexpected;
}

async function importHere(
  form: SourceForm,
  credentials: Readonly<Record<string, string>>,
  options: Options,
): Promise<FactsImport> {
  const { importFacts } = await import('../../exchange/moved/run.ts');
  const { createSourceClient } = await import('../../exchange/sources/client.ts');
  const { SOURCES } = await import('../../exchange/sources/index.ts');
  const { createLocalApi } = await import('../api/local-api.ts');
  const source = SOURCES.find(({ name }) => name === form.name);
  if (source === undefined) throw new Error(`The source ${form.name} has a form only`);
  const client = createSourceClient({
    title: source.title,
    apiUrl: options.apiUrl ?? source.apiUrl,
    headers: source.headersFor(credentials),
    limit: source.limit,
  });
  const progress = createProgress(options);
  const sentence = stoppedSentence('The records read so far', options);
  return interruptible({ sentence, cleanUp: progress.clear }, () =>
    changeAccount(options, {
      action: 'account.import',
      work: async (service, accountId) => {
        const programId = await namedProgram(createLocalApi(service, accountId), options.program);
        return importFacts(
          {
            service,
            accountId,
            source: { name: source.name, title: source.title },
            partnersBy: 'source id',
            programId,
          },
          source.read(client, { credentials, linkUrl: options.linkUrl ?? null }),
          {
            isDryRun: options.dryRun === true,
            reportPath: options.report === undefined ? null : resolve(options.report),
            onItem: ({ items }) => progress.show(`${formatCount(items)} records`),
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

/** As `importHere`, run by the server, which holds the credentials until the import ends. */
async function importThere(
  api: AccountApi,
  source: SourceForm,
  credentials: Readonly<Record<string, string>>,
  { program, linkUrl, apiUrl, dryRun, report, json }: Options,
): Promise<FactsImport> {
  refuseReport(report);
  const programId = await namedProgram(api, program);
  const settings = { credentials, programId, linkUrl: linkUrl ?? null, apiUrl: apiUrl ?? null };
  // each service has its own type of credentials
  const input = { source: source.name, settings, dryRun: dryRun === true } as unknown as ImportInput;
  const { counts, byKind, progress, ...run } = await importOnServer(api, { input, path: null, json });
  const problemsOf = (rows: typeof run.refusedRows, result: 'refused' | 'left out') =>
    rows.map(({ kind, id, reason }) => ({ kind, id: id ?? '', result, reason }));
  const none = { created: 0, changed: 0, unchanged: 0, refused: 0 };
  const ofKind = (wanted: string) => {
    const { kind: _, ...of } = byKind.find(({ kind }) => kind === wanted) ?? { kind: '', ...none };
    return of;
  };
  return {
    source: source.name,
    dryRun: run.dryRun,
    items: progress?.rows ?? 0,
    ...(counts ?? { ...none, leftOut: 0 }),
    byKind: Object.fromEntries(MOVED_KINDS.map((kind) => [kind, ofKind(kind)])) as FactsImport['byKind'],
    problems: [...problemsOf(run.refusedRows, 'refused'), ...problemsOf(run.leftOutRows, 'left out')],
  };
}

/**
 * Read from the environment; a missing secret is prompted for. Never read from the arguments, which other users can
 * see.
 */
async function credentialsOf({ title, credentials }: SourceForm): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, variable, question, isSecret } of credentials) {
    const value = process.env[variable]?.trim() || (isSecret ? await askSecret(question) : '');
    if (value === '') throw new CommandError(EXIT.usage, `${title} needs ${variable}: set it in the environment.`);
    if (!CREDENTIAL.test(value)) throw new CommandError(EXIT.usage, `${variable} ${CREDENTIAL_RULE}.`);
    found[name] = value;
  }
  return found;
}

function noteResult({ dryRun, byKind, leftOut, refused, problems, ...counts }: FactsImport): void {
  for (const { kind, id, result, reason } of problems) {
    note(`${result === 'refused' ? '✗' : '–'} ${kind}${id === '' ? '' : ` ${id}`}: ${reason}`);
  }
  if (refused + leftOut > problems.length)
    note(
      `… and ${formatCount(refused + leftOut - problems.length)} more: to see all, run the command beside the database with --report`,
    );
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
