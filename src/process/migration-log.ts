import type { Logger } from 'pino';
import { commandLine } from '../app/invocation.ts';
import type { MigrationEvent } from '../storage/open.ts';

/** Logged even at level warn: an operator who waits this long wants to know why. */
const LONG_SECONDS = 10;

/** Logs what the migrations of an existing database will take, and their progress. */
export function logMigrations(log: Logger): (event: MigrationEvent) => void {
  return (event) => {
    switch (event.kind) {
      case 'planned': {
        const { migrations, seconds, diskBytes } = event;
        const level = seconds < LONG_SECONDS ? 'info' : 'warn';
        const names = migrations.map(({ version, name }) => `${version} ${name}`);
        const diskMegabytes = Math.ceil(diskBytes / 1_000_000);
        const hint = `next time, back up first: ${commandLine('migrate --backup <file>')}, or pg_dump on PostgreSQL`;
        log[level]({ migrations: names, seconds, diskMegabytes, hint }, 'about to migrate the database');
        return;
      }
      case 'waiting':
        log.warn(
          'waiting for another process that migrates the database, or has locked it; if its machine has vanished, PostgreSQL ' +
            'ends its session within a minute',
        );
        return;
      case 'started':
        log.info({ version: event.version, name: event.name }, 'migrating the database');
        return;
      case 'progress': {
        const { version, name, statement, statementCount, seconds } = event;
        log.warn(
          { version, name },
          `migrating the database: statement ${statement} of ${statementCount}, ${seconds} s`,
        );
        return;
      }
      case 'finished':
        log.info({ version: event.version, name: event.name, seconds: event.seconds }, 'migrated the database');
    }
  };
}
