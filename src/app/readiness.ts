import { SchemaMismatch, ServiceError } from '../errors.ts';
import { type Database, DatabaseFailure } from '../storage/database.ts';
import { appliedSchemaVersion } from '../storage/schema.ts';
import { commandLine } from './invocation.ts';
import { withTimeout } from './timeout.ts';

type CheckResult = 'ok' | 'failed';

export interface Readiness {
  ready: boolean;
  checks: {
    database: CheckResult;
    /** As the engine says it: `FULL`, `on`; null when it did not answer. */
    synchronous: string | null;
    /** The database has exactly the schema that this process knows. */
    migrations: CheckResult;
    /** Also `ok` where writes are not checked. */
    writes: CheckResult;
  };
  /** What is wrong and what to do, each cause once. */
  problems: string[];
}

const TIMEOUT_MS = 3_000;
/** What makes commits durable. */
export const SWITCH_ON = 'Set it to FULL (SQLite: use a local disk; PostgreSQL: turn synchronous_commit and fsync on).';

/**
 * Checks that the database answers in time, commits durably, has the schema that the code knows, and accepts writes.
 * Never rejects.
 *
 * @param writeProblem what keeps writes from being stored, or null; they are not checked without it
 */
export async function readinessOf(
  database: Database,
  writeProblem: () => Promise<string | null> = async () => null,
): Promise<Readiness> {
  const [write, { synchronous, ...checked }] = await Promise.all([writeProblem(), checkDatabase(database)]);
  const { database: answers, migrations } = checked;
  // where not even a look-up succeeds, a write fails for the same reason, and the advice about locks and disks is wrong
  const problems = [...checked.problems, ...(write === null || answers === 'failed' ? [] : [write])];
  const writes = write === null ? 'ok' : 'failed';
  return { ready: problems.length === 0, checks: { database: answers, synchronous, migrations, writes }, problems };
}

/** Whether acknowledged commits survive a power cut, by what the engine says. */
export function isDurable(synchronous: string | null): boolean {
  return synchronous === 'FULL' || synchronous === 'on';
}

async function checkDatabase(
  database: Database,
): Promise<Omit<Readiness['checks'], 'writes'> & { problems: string[] }> {
  try {
    const checks = Promise.all([database.read(appliedSchemaVersion), database.durability()]);
    const [version, { synchronous }] = await withTimeout(checks, TIMEOUT_MS);
    const isKnown = version === database.schemaVersion;
    const problems = [
      ...(isKnown ? [] : [schemaProblem(version, database.schemaVersion)]),
      ...(isDurable(synchronous) ? [] : [`Commits are not durable: synchronous is ${synchronous}. ${SWITCH_ON}`]),
    ];
    return { database: 'ok', synchronous, migrations: isKnown ? 'ok' : 'failed', problems };
  } catch (error) {
    const problem =
      error instanceof ServiceError && error.cause instanceof DatabaseFailure
        ? `The database cannot be used: ${error.cause.message}`
        : 'The database does not answer: check that it is running, and DATABASE_URL';
    return { database: 'failed', synchronous: null, migrations: 'failed', problems: [problem] };
  }
}

function schemaProblem(databaseVersion: number, programVersion: number): string {
  const { message } = new SchemaMismatch(databaseVersion, programVersion);
  if (databaseVersion > programVersion) return message;
  return `${message}. Restart this server, which then migrates the database, or stop it and run ${commandLine('migrate')}`;
}
