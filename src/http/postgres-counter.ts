import { Pool } from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { countWith, memoryLimiter, POINTS_MAX, type RequestCounter, WINDOW_SECONDS } from './rate-limit.ts';

const CONNECTIONS_MAX = 4;
const TIMEOUT_MS = 1000;

/**
 * Counts for all processes on one PostgreSQL database. While the database does not answer, each process counts on its own:
 * a temporarily generous limit is better than refusing every request.
 *
 * @param timeoutMs of a connection attempt, and of a query
 */
export function createPostgresCounter(
  databaseUrl: string,
  onError: (error: Error) => void,
  timeoutMs = TIMEOUT_MS,
): RequestCounter {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    // counts may be lost in a crash, and an fsync per request would be slow
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
