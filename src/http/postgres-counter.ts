import { Pool, type QueryConfig } from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { countTogetherWith, memoryLimiter, POINTS_MAX, type RequestCounter, WINDOW_SECONDS } from './rate-limit.ts';

const CONNECTIONS_MAX = 4;
const TIMEOUT_MS = 1000;

/**
 * Counts for all processes on one PostgreSQL database. While the database does not answer, each process counts on its
 * own: a temporarily generous limit is better than refusing every request.
 *
 * @param timeoutMs of a connection attempt, and of a query
 * @param isPooled true behind a pooler in transaction mode, which accepts neither settings nor named statements
 */
export function createPostgresCounter(
  databaseUrl: string,
  onError: (error: Error) => void,
  { timeoutMs = TIMEOUT_MS, isPooled = false } = {},
): RequestCounter {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    // A statement that waits for a lock must end with its connection here: the server would keep one more session for
    // each until it has no connections left.
    ...(isPooled ? {} : { statement_timeout: timeoutMs }),
  });
  pool.on('error', onError);
  const unnamed = { query: ({ name, ...query }: QueryConfig) => pool.query(query) };
  const limiter = new RateLimiterPostgres({
    storeClient: isPooled ? unnamed : pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: '',
    points: POINTS_MAX,
    duration: WINDOW_SECONDS,
    insuranceLimiter: memoryLimiter(),
  });
  return { count: countTogetherWith(limiter), close: () => pool.end() };
}
