import { readinessOf } from '../../app/readiness.ts';
import type { Service } from '../../app/service.ts';
import type { Config } from '../../process/config.ts';
import { type Check, failed, passed, warned } from './check.ts';

const SERVER_TIMEOUT_MS = 3_000;
const CLOCK_TOLERANCE_SECONDS = 5;

/** Checks that the database answers, is durable, and has the schema of this version. */
export async function databaseChecks({ database }: Service, config: Config): Promise<Check[]> {
  const { ready, checks } = await readinessOf(database);
  const place = config.database.engine === 'sqlite' ? config.database.path : 'PostgreSQL';
  if (checks.database === 'failed') {
    return [failed('database', `${place} does not answer`, 'Check that it is running, and check DATABASE_URL.')];
  }
  const durable = ready || checks.migrations === 'failed';
  return [
    passed('database', `${place} answers`),
    durable
      ? passed('durability', `synchronous is ${checks.synchronous}`)
      : failed(
          'durability',
          `synchronous is ${checks.synchronous}: a power cut may lose acknowledged sales`,
          'Set it to FULL (SQLite: use a local disk; PostgreSQL: turn synchronous_commit and fsync on).',
        ),
    checks.migrations === 'ok'
      ? passed('migrations', `the schema has version ${database.schemaVersion}`)
      : failed(
          'migrations',
          'the schema is older than this version',
          'Restart the server, which applies the missing migrations.',
        ),
  ];
}

/** Checks that the server answers at BASE_URL, and that its clock agrees with this machine's. */
export async function serverChecks(config: Config): Promise<Check[]> {
  const url = `${config.baseUrl}/health/ready`;
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) });
    await response.body?.cancel();
    const server =
      response.status === 200
        ? passed('server', `${url} reports that it is ready`)
        : failed('server', `${url} answers ${response.status}`, "Check the server's log and BASE_URL.");
    return [server, clockCheck(response.headers.get('date'))];
  } catch {
    return [
      warned(
        'server',
        `nothing answers at ${url}`,
        'Start the server (`refbridge serve`), or set BASE_URL to its address.',
      ),
    ];
  }
}

/** Signatures contain the processor's time, so our clock must be right. */
function clockCheck(dateHeader: string | null): Check {
  const seconds = dateHeader === null ? Number.NaN : Math.abs(Date.now() - Date.parse(dateHeader)) / 1000;
  if (Number.isNaN(seconds))
    return warned('clock', 'the response has no Date header', 'Check what answers at BASE_URL.');
  if (seconds <= CLOCK_TOLERANCE_SECONDS) return passed('clock', 'this machine and the server agree');
  return failed(
    'clock',
    `this machine and the server are ${Math.round(seconds)} s apart`,
    'Synchronize both by NTP: a signature older than 300 s is refused.',
  );
}
