import type { Command } from 'commander';
import { loadEnvironment } from '../../process/environment.ts';
import type { SealedCounts } from '../../sealing/sealed-values.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { requireDatabase, withService } from '../with-service.ts';

export function addReencryptCommand(program: Command): void {
  program
    .command('reencrypt')
    .description('after a change of SECRET_KEY, encrypt with the new key what the previous one encrypted')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Encrypts the secrets of endpoints, payout details and payout files again, in every account, with SECRET_KEY, if a key of
SECRET_KEY_FALLBACKS opens them. Works beside running servers that have both keys. If it is interrupted, run it again.
Afterwards, nothing needs SECRET_KEY_FALLBACKS any more, except backups made before.
Exit code 1 if something could not be decrypted with any of the keys; its ids are printed.

Examples:
  $ SECRET_KEY=new… SECRET_KEY_FALLBACKS=old… refbridge reencrypt
With a key file, while the server is stopped; a new one is created:
  $ mv -n data/secret.key data/secret.key.old
  $ SECRET_KEY_FALLBACKS="$(cat data/secret.key.old)" refbridge reencrypt`,
    )
    .action(async (options: { json?: true }) => {
      const progress = createProgress(options);
      const sentence =
        'Stopped. Each value has the previous key or the new one: run the same command again to continue.';
      const counts = await interruptible({ sentence, cleanUp: progress.clear }, () =>
        reencryptAll((count) => progress.show(`${formatCount(count)} encrypted again …`)),
      );
      progress.clear();
      report(counts, options);
    });
}

async function reencryptAll(onProgress: (reencrypted: number) => void): Promise<SealedCounts> {
  const { readConfig } = await import('../../process/config.ts');
  const config = readConfig(loadEnvironment());
  if (config.secretKeyFallbacks.length === 0) throw nothingToReplace();
  requireDatabase(config);
  const { createLog } = await import('../../process/log.ts');
  const { lockForServing } = await import('../../process/open-database.ts');
  const { databaseWithoutKey } = await import('../../process/prepare-sealer.ts');
  const { reencrypt } = await import('../../sealing/sealed-values.ts');
  // a running server has read the previous file, and would not notice the one that is created here
  const isCreatingKey = databaseWithoutKey(config) !== null;
  const release = isCreatingKey ? lockForServing(config, createLog('warn', 'pretty')) : () => {};
  try {
    return await withService((service) => reencrypt(service, onProgress));
  } finally {
    release();
  }
}

function report({ current, fallback, unreadable }: SealedCounts, { json }: { json?: true }): void {
  const ids = unreadable.map(({ id }) => id);
  if (ids.length > 0) process.exitCode ??= EXIT.unexpected;
  if (json) {
    printJson({ reencrypted: fallback, alreadyCurrent: current, unreadable: ids });
    return;
  }
  for (const id of ids) print(id);
  note(`Encrypted again: ${formatCount(fallback)}. Already encrypted with this key: ${formatCount(current)}.`);
  note(
    ids.length > 0
      ? `No key opens what ${ids.length === 1 ? 'the one above stores' : `the ${ids.length} above store`}: add the key that does to SECRET_KEY_FALLBACKS, or enter it again.`
      : 'Once every server has this SECRET_KEY, SECRET_KEY_FALLBACKS is no longer needed: remove it from their settings.',
  );
}

function nothingToReplace(): CommandError {
  return new CommandError(
    EXIT.configuration,
    'SECRET_KEY_FALLBACKS is not set, so no previous key is known. Set it to the key that SECRET_KEY (or secret.key) ' +
      'replaced; `refbridge reencrypt --help` has examples.',
  );
}
