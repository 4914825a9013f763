import type pg from 'pg';

/** What a `DATABASE_URL` of PostgreSQL says. */
export interface PostgresAddress {
  /** For pg. */
  connectionString: string;
  /**
   * With `?pgbouncer=true`: a pooler in transaction mode, behind which each transaction may run on another connection. Nothing
   * that outlives a transaction works there: names of prepared statements, settings of a session, those at its start included.
   */
  isPooled: boolean;
}

export function addressOf(url: string): PostgresAddress {
  const [, value] = POOLED.exec(url) ?? [];
  return { connectionString: url.replace(POOLED, '').replace(/\?$/, ''), isPooled: value === 'true' };
}

const POOLED = /(?<=[?&])pgbouncer=(true|false)(?:&|$)/;

/** What PgBouncer answers to a setting at the start of a session, unless it was told to ignore it. */
const REFUSED_SETTING = /unsupported startup parameter/;

/** How to connect through the pooler that refused a connection with settings; null when the error says something else. */
export function poolerAdvice(error: unknown): string | null {
  if (!(error instanceof Error) || !REFUSED_SETTING.test(error.message)) return null;
  return (
    'DATABASE_URL points to a connection pooler that refuses session settings. Add ?pgbouncer=true to DATABASE_URL, ' +
    'which works with PgBouncer in transaction mode, or connect to PostgreSQL itself'
  );
}

/** A configuration of pg without what a pooler refuses. */
export function withoutSessionSettings<Config extends pg.ClientConfig>(config: Config): Config {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options, ...rest } = config;
  return rest as Config;
}
