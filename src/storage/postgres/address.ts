import type pg from 'pg';

/** What a PostgreSQL `DATABASE_URL` says. */
export interface PostgresAddress {
  /** For pg. */
  connectionString: string;
  /**
   * Set by `?pgbouncer=true`: a pooler, which in transaction mode may run each transaction on another connection.
   * Nothing that outlives a transaction works there: no named prepared statements and no session settings, not even
   * those at session start.
   */
  isPooled: boolean;
}

export function addressOf(url: string): PostgresAddress {
  const [, value] = POOLED.exec(url) ?? [];
  return { connectionString: url.replace(POOLED, '').replace(/\?$/, ''), isPooled: value === 'true' };
}

const POOLED = /(?<=[?&])pgbouncer=(true|false)(?:&|$)/;

/** PgBouncer's answer to a setting at session start, unless it is configured to ignore that setting. */
const REFUSED_SETTING = /unsupported startup parameter/;

/** How to connect through the pooler that refused a connection with settings; null when the error says something else. */
export function poolerAdvice(error: unknown): string | null {
  if (!(error instanceof Error) || !REFUSED_SETTING.test(error.message)) return null;
  return (
    'DATABASE_URL points to a connection pooler that refuses session settings. Add ?pgbouncer=true to DATABASE_URL, ' +
    'which works with PgBouncer in session and transaction mode, or connect to PostgreSQL itself'
  );
}

/** A pg configuration without the settings that a pooler refuses. */
export function withoutSessionSettings<Config extends pg.ClientConfig>(config: Config): Config {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, options, ...rest } = config;
  return rest as Config;
}
