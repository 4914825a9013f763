import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../process/config.ts';
import { loadEnvironment } from '../../process/environment.ts';
import type { MigrationEvent } from '../../process/open-database.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printJson } from '../terminal/output.ts';
import { createProgress, formatCount, type Progress } from '../terminal/progress.ts';
import { requireDatabase } from '../with-service.ts';
import { copyDatabase } from './backup.ts';

interface MigrateOptions {
  backup?: string;
  json?: true;
}

type Planned = Extract<MigrationEvent, { kind: 'planned' }>;

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the schema of this version, with the server stopped')
    .option('--backup <file>', 'first copy the SQLite database to this file, if there is anything to migrate')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
First prints which migrations will run, about how long they take, and how much disk space they need. Each is one
transaction: an interrupted migration changes nothing, and those before it are kept. serve also migrates when it starts;
no other command does. Only a backup can undo a migration: make one with --backup, or on PostgreSQL with pg_dump.

Example:
  $ refbridge migrate --backup "/backups/refbridge-$(date +%F).db"`,
    )
    .action(migrate);
}

async function migrate(options: MigrateOptions): Promise<void> {
  const { readConfig } = await import('../../process/config.ts');
  const config = readConfig(loadEnvironment());
  requireDatabase(config);
  if (options.backup !== undefined && config.database.engine === 'postgres') {
    throw new CommandError(EXIT.configuration, 'DATABASE_URL is a PostgreSQL database: back it up with pg_dump first.');
  }
  const { refuseReservedLinks } = await import('../../links/reserved-links.ts');
  const { createLog } = await import('../../process/log.ts');
  const { migrateDatabase } = await import('../../process/open-database.ts');
  const progress = createProgress(options);
  let planned: Planned | null = null;
  const version = await migrateDatabase(config, createLog('warn', 'pretty'), {
    announce(event) {
      if (event.kind === 'planned') planned = event;
      if (!options.json) show(event, progress);
    },
    check: refuseReservedLinks,
    beforehand: () => backUp(config, options),
  }).finally(progress.clear);
  report(version, planned, options);
}

async function backUp({ database }: Config, { backup, json }: MigrateOptions): Promise<void> {
  if (backup === undefined || database.engine === 'postgres') return;
  const file = resolve(backup);
  await copyDatabase(database.path, file, { json });
  if (!json) note(`Copied the database to ${file} (${megabytes(statSync(file).size)} MB).`);
}

function show(event: MigrationEvent, progress: Progress): void {
  switch (event.kind) {
    case 'planned': {
      const names = event.migrations.map(({ version, name }) => `${version} ${name}`).join(', ');
      const cost = `about ${formatCount(event.seconds)} s and ${megabytes(event.diskBytes)} MB of free disk space`;
      note(`To migrate: ${names}. This takes ${cost}.`);
      return;
    }
    case 'waiting':
      progress.show('Waiting for another process that migrates the database …');
      return;
    case 'started':
      progress.show(`${event.version} ${event.name} …`);
      return;
    case 'progress': {
      const { version, name, statement, statementCount, seconds } = event;
      progress.show(`${version} ${name}: statement ${statement} of ${statementCount}, ${seconds} s`);
      return;
    }
    case 'finished':
      progress.clear();
      note(`${event.version} ${event.name}: done in ${event.seconds} s`);
  }
}

function report(version: number, planned: Planned | null, { backup, json }: MigrateOptions): void {
  const migrations = planned?.migrations ?? [];
  const before = version - migrations.length;
  if (json) {
    const file = backup === undefined || planned === null ? null : resolve(backup);
    printJson({ before, after: version, migrations, backup: file });
  } else if (planned === null) note(`The database already has schema version ${version}: nothing to migrate.`);
  else note(`The database was migrated from schema version ${before} to ${version}.`);
}

function megabytes(bytes: number): string {
  return formatCount(Math.ceil(bytes / 1_000_000));
}
