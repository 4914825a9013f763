import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Sealer, Service } from '../../app/service.ts';
import type { ImportedAccount } from '../../exchange/import-account.ts';
import type { LostSecrets } from '../../exchange/reseal.ts';
import type { Config } from '../../process/config.ts';
import { loadEnvironment } from '../../process/environment.ts';
import type { Audited } from '../doctor/audit-account.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { hint, note, printJson } from '../terminal/output.ts';
import { createProgress, formatCount, type Progress } from '../terminal/progress.ts';
import { withService } from '../with-service.ts';

/** `--json` names all. */
const NAMED_MAX = 50;

interface Options {
  dryRun?: true;
  sourceKeyFile?: string;
  json?: true;
}

const MORE = `
Rows keep their ids, so links, API keys, webhook addresses and customers keep working. Everything is stored in one transaction:
if the import is stopped or killed, nothing is stored, and you run the same command again. Importing the same export twice
changes nothing. No server may use a SQLite database meanwhile. The source and this database need the same schema version: run
the same release on both.

Webhook secrets, payout details and payout files are encrypted with the source's key. Use the same SECRET_KEY here, or name a
file that holds the source's key (its secret.key, or a file with its SECRET_KEY); otherwise they are left out, and the command
names the endpoints, partners and files.

Examples:
  $ refbridge import refbridge ./export-2026-11-22 --dry-run
  $ DATABASE_URL=postgres://… SECRET_KEY=… refbridge import refbridge ./export-2026-11-22 --source-key-file ./data/secret.key`;

export function addRefbridgeImport(parent: Command): void {
  parent
    .command('refbridge <folder>')
    .description('import what `refbridge export` wrote, into a database without that account')
    .option('--dry-run', 'check every file and row, and store nothing')
    .option('--source-key-file <file>', 'a file that holds the key of the source, if it differs from this one')
    .option('--json', 'print JSON')
    .addHelpText('after', MORE)
    .action(runImport);
}

async function runImport(folder: string, options: Options): Promise<void> {
  const sourceSealer = options.sourceKeyFile === undefined ? null : await readSealer(resolve(options.sourceKeyFile));
  const progress = createProgress(options);
  const sentence = 'Stopped. Unless the import had just finished, nothing was stored; run it again to find out.';
  const { importAccount } = await import('../../exchange/import-account.ts');
  const { readConfig } = await import('../../process/config.ts');
  const { createLog } = await import('../../process/log.ts');
  const { lockForServing } = await import('../../process/open-database.ts');
  // before the database is opened, and until it is closed
  const release = lockForServing(readConfig(loadEnvironment()), createLog('warn', 'pretty'));
  try {
    await interruptible({ sentence, cleanUp: progress.clear }, () =>
      withService(
        async (service, config) => {
          const imported = await importAccount(service, {
            folder: resolve(folder),
            isDryRun: options.dryRun === true,
            sourceSealer,
            onProgress: (doing, table, rows) => progress.show(`${doing} ${formatCount(rows)} rows (${table})`),
          });
          const audited = imported.imported ? await auditImported(service, config, { imported, progress }) : null;
          progress.clear();
          report(imported, audited, options);
        },
        { mayCreate: true },
      ),
    );
  } finally {
    release();
  }
}

async function auditImported(
  service: Service,
  { database }: Config,
  { imported: { account }, progress }: { imported: ImportedAccount; progress: Progress },
): Promise<Audited> {
  const { auditAccount } = await import('../doctor/audit-account.ts');
  return auditAccount(service, account, {
    progress,
    ...(database.engine === 'sqlite' ? { databaseUrl: database.url } : {}),
  });
}

function report(imported: ImportedAccount, audited: Audited | null, options: Options): void {
  const problems = Object.values(audited ?? {}).flatMap(({ first }) => first ?? []);
  const { account, rows, alreadyImported } = imported;
  if (options.json) printJson({ ...imported, dryRun: options.dryRun === true, audit: audited });
  else if (alreadyImported) note(`${account.name} was imported from this export before; nothing was changed.`);
  else if (options.dryRun) note(`${formatCount(rows)} rows of ${account.name} can be imported; nothing was stored.`);
  else note(`Imported ${formatCount(rows)} rows of ${account.name}.`);
  if (!options.json) hintAtLost(imported, options);
  if (audited === null) return;
  if (problems.length > 0) {
    if (!options.json) for (const problem of problems) note(`✗ ${problem}`);
    process.exitCode ??= EXIT.unexpected;
  } else if (!options.json) note('Sales, payouts and results agree with the ledger.');
}

function hintAtLost(lost: LostSecrets, { sourceKeyFile, dryRun }: Options): void {
  const { endpointsWithoutSecrets, eventEndpointsWithoutSecrets, ...others } = lost;
  const { partnersWithoutPayoutDetails, payoutFilesWithoutContent, railConnectionsLeftOut } = others;
  const hintAt = (what: string, ids: string[], next: string) => {
    if (ids.length === 0) return;
    if (sourceKeyFile !== undefined) {
      hint(`The key in ${sourceKeyFile} does not open ${what} of ${namesOf(ids)}, so they were left out. ${next}.`);
      return;
    }
    const left = `The key of the source is needed for ${what} of ${namesOf(ids)}, so they were left out.`;
    // an export is imported once
    const again = dryRun ? 'import' : 'delete the account with `refbridge accounts delete` and import it again';
    hint(`${left} ${next}, or ${again} with --source-key-file.`);
  };
  const enterSecrets = 'Enter each again with `refbridge endpoints update <id> --secret-stdin`';
  hintAt('the secrets', endpointsWithoutSecrets, enterSecrets);
  const rotate =
    'Give each a new one with `refbridge events endpoints rotate <id>`, then `refbridge events endpoints update <id> --enabled`';
  hintAt('the secrets', eventEndpointsWithoutSecrets, rotate);
  const enterDetails = 'Let the partners enter them again, or send them to PUT /api/partners/<id>/payout-details';
  hintAt('the payout details', partnersWithoutPayoutDetails, enterDetails);
  const cancel = 'Cancel a file that was never sent with POST /api/payouts/files/<id>/cancel, and make another one';
  hintAt('the contents', payoutFilesWithoutContent, cancel);
  hintAt('the keys', railConnectionsLeftOut, 'Connect the account that pays again');
}

function namesOf(ids: readonly string[]): string {
  const others = ids.length - NAMED_MAX;
  return (
    ids.slice(0, NAMED_MAX).join(', ') + (others > 0 ? ` and ${formatCount(others)} others (--json names all)` : '')
  );
}

async function readSealer(path: string): Promise<Sealer> {
  const { createSealer } = await import('../../process/sealer.ts');
  const { parseSecretKey } = await import('../../process/secret-key-text.ts');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new CommandError(EXIT.configuration, `${path} cannot be read: name the file with the key of the source.`);
  }
  const key = parseSecretKey(text.trim());
  if (key === null)
    throw new CommandError(EXIT.configuration, `${path} holds no 32-byte key in base64 or hexadecimal.`);
  return createSealer(key);
}
