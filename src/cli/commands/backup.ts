import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadEnvironment } from '../../process/environment.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { note, printResource } from '../terminal/output.ts';
import { yieldToOthers } from '../terminal/priority.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { requireDatabase } from '../with-service.ts';

export function addBackupCommand(program: Command): void {
  program
    .command('backup <file>')
    .description('copy a consistent snapshot of the SQLite database, even while a server uses it')
    .option('--verify', 'read the entire copy and check its structure and references')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The copy appears complete or not at all, and nothing is overwritten. It needs as much disk space as the database file.
Its secrets and payout details are encrypted: keep SECRET_KEY, or the file secret.key beside the database, elsewhere.
To restore, stop the server and point DATABASE_URL at the copy. If you put it in the place of the old file, also delete
the old -wal and -shm files: SQLite would apply them to the copy, so Refbridge refuses to open it.

Example:
  $ refbridge backup "/backups/refbridge-$(date +%F).db" --verify`,
    )
    .action(async (file: string, options: { verify?: true; json?: true }) => {
      const { readConfig } = await import('../../process/config.ts');
      const config = readConfig(loadEnvironment());
      if (config.database.engine === 'postgres') {
        throw new CommandError(EXIT.configuration, 'DATABASE_URL is a PostgreSQL database: back it up with pg_dump.');
      }
      requireDatabase(config);
      yieldToOthers();
      await copyDatabase(config.database.path, resolve(file), options);
      printResource(
        { file: resolve(file), bytes: statSync(file).size, verified: options.verify === true },
        options.json,
      );
      if (!options.json && config.secretKey === null) {
        note(
          `Back up ${join(dirname(config.database.path), 'secret.key')} too, in another place: it decrypts the stored secrets and payout details.`,
        );
      }
    });
}

/** Copies the SQLite database at `path`, with a line of progress on a terminal; Ctrl-C deletes what was copied. */
export async function copyDatabase(
  path: string,
  file: string,
  options: { verify?: true; json?: true | undefined },
): Promise<void> {
  const { backupDatabase, deletePartialBackup } = await import('../../storage/sqlite/backup.ts');
  const progress = createProgress(options);
  const cleanUp = () => {
    progress.clear();
    deletePartialBackup(file);
  };
  const copied = Promise.withResolvers<void>();
  const copying = backupDatabase(path, file, {
    verify: options.verify === true,
    onProgress(copiedBytes, totalBytes) {
      progress.show(`copied ${megabytes(copiedBytes)} of ${megabytes(totalBytes)} MB`);
    },
    onCopied() {
      progress.clear();
      if (options.verify) progress.show('verifying the copy …');
      copied.resolve();
    },
    onUnrecorded(reason) {
      note(`The copy is complete, but could not be recorded for the metrics: ${reason}`);
    },
  });
  // The check of the copy blocks the process, so Ctrl-C must be able to end it without our code.
  const sentence = 'Stopped: the incomplete copy was deleted.';
  await interruptible({ sentence, cleanUp }, () => Promise.race([copied.promise, copying]));
  await copying.finally(progress.clear);
}

function megabytes(bytes: number): string {
  return formatCount(Math.round(bytes / 1_000_000));
}
