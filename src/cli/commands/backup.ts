import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadEnvironment, readConfig } from '../../process/config.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printResource } from '../terminal/output.ts';
import { requireDatabase } from '../with-service.ts';

export function addBackupCommand(program: Command): void {
  program
    .command('backup <file>')
    .description('copy a consistent snapshot of the SQLite database, also beside a running server')
    .option('--verify', 'read the entire copy and check its structure and references')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The copy appears complete or not at all, and nothing is overwritten. Its webhook secrets are encrypted, so keep SECRET_KEY,
or the file secret.key beside the database, in another safe place.
To restore, stop the server and point DATABASE_URL at the copy.

Example:
  $ refbridge backup "/backups/refbridge-$(date +%F).db" --verify`,
    )
    .action(async (file: string, options: { verify?: true; json?: true }) => {
      const config = readConfig(loadEnvironment());
      if (config.database.engine === 'postgres') {
        throw new CommandError(EXIT.configuration, 'DATABASE_URL is a PostgreSQL database: back it up with pg_dump.');
      }
      requireDatabase(config);
      const { backupDatabase } = await import('../../storage/sqlite/backup.ts');
      await backupDatabase(config.database.path, resolve(file), options.verify === true);
      printResource(
        { file: resolve(file), bytes: statSync(file).size, verified: options.verify === true },
        options.json,
      );
      if (!options.json && config.secretKey === null) {
        note(
          `Back up ${join(dirname(config.database.path), 'secret.key')} too, in another place: it decrypts the stored webhook secrets.`,
        );
      }
    });
}
