import { readinessOf } from '../../app/readiness.ts';
import type { Service } from '../../app/service.ts';
import type { Config } from '../../process/config.ts';
import { type Check, failed, passed, warned } from './check.ts';

const SERVER_TIMEOUT_MS = 3_000;
const CLOCK_TOLERANCE_SECONDS = 5;

/** Whether the database answers, keeps what it acknowledged, and has the schema of this program. */
export async function databaseChecks({ database }: Service, config: Config): Promise<Check[]> {
  const { ready, checks } = await readinessOf(database);
  const place = config.database.engine === 'sqlite' ? config.database.path : 'PostgreSQL';
  if (checks.database === 'failed') {
    return [failed('database', `${place} does not answer`, 'Look whether it is running, and at DATABASE_URL.')];
  }
  const durable = ready || checks.migrations === 'failed';
  return [
    passed('database', `${place} answers`),
    durable
      ? passed('durability', `synchronous is ${checks.synchronous}`)
      : failed(
          'durability',
          `synchronous is ${checks.synchronous}: a power cut may lose sales that were acknowledged`,
          'Switch it to FULL (SQLite: a local disk; PostgreSQL: synchronous_commit and fsync on).',
        ),
    checks.migrations === 'ok'
      ? passed('migrations', `the schema has version ${database.schemaVersion}`)
      : failed(
          'migrations',
          'the schema is older than this program',
          'Restart the server: it applies what is missing.',
        ),
  ];
}

/** Whether the server answers where the world is told that it is, and by the same clock. */
export async function serverChecks(config: Config): Promise<Check[]> {
  const url = `${config.baseUrl}/health/ready`;
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) });
    await response.body?.cancel();
    const server =
      response.status === 200
        ? passed('server', `${url} answers that it is ready`)
        : failed('server', `${url} answers ${response.status}`, 'Look into the log of the server, and at BASE_URL.');
    return [server, clockCheck(response.headers.get('date'))];
  } catch {
    return [
      warned('server', `nothing answers at ${url}`, 'Start it (`refbridge serve`), or set BASE_URL to where it is.'),
    ];
  }
}

/** Signatures carry a time: processors' clocks are right, so ours must be. */
function clockCheck(dateHeader: string | null): Check {
  const seconds = dateHeader === null ? Number.NaN : Math.abs(Date.now() - Date.parse(dateHeader)) / 1000;
  if (Number.isNaN(seconds)) return warned('clock', 'the server tells no time', 'Look what answers at BASE_URL.');
  if (seconds <= CLOCK_TOLERANCE_SECONDS) return passed('clock', 'this machine and the server agree');
  return failed(
    'clock',
    `this machine and the server are ${Math.round(seconds)} s apart`,
    'Synchronise both by NTP: a signature older than 300 s is refused.',
  );
}
