import { Pool } from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { countWith, memoryLimiter, POINTS_MAX, type RequestCounter, WINDOW_SECONDS } from './rate-limit.ts';

const CONNECTIONS_MAX = 4;
const PATIENCE_MS = 1000;

/**
 * For any number of processes on one PostgreSQL database. While that does not answer, each process counts for itself:
 * a limit that is too generous for a moment, instead of a service that refuses everybody.
 *
 * @param patienceMs how long a count waits for a connection, and for its answer
 */
export function createPostgresCounter(
  databaseUrl: string,
  onError: (error: Error) => void,
  patienceMs = PATIENCE_MS,
): RequestCounter {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    // a count that is lost with the machine is no loss, and an fsync per request would be one
    options: '-c synchronous_commit=off',
  });
  pool.on('error', onError);
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    points: POINTS_MAX,
    duration: WINDOW_SECONDS,
    insuranceLimiter: memoryLimiter(),
  });
  return { count: countWith(limiter), close: () => pool.end() };
}
