import type pg from 'pg';
import { messageOf, ServiceError } from '../../errors.ts';

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

/** @throws Error when it asks for an encryption that pg does not know */
export function addressOf(url: string): PostgresAddress {
  const [, value] = POOLED.exec(url) ?? [];
  return { connectionString: withClearTls(url.replace(POOLED, '').replace(/\?$/, '')), isPooled: value === 'true' };
}

const POOLED = /(?<=[?&])pgbouncer=(true|false)(?:&|$)/;

const SSL = /(?<=[?&])ssl=([^&]*)/;
/** By what an address says: what pg takes for it. Any other value, it takes for an object, and crashes. */
const SSL_VALUES: Readonly<Record<string, string>> = {
  true: 'true',
  1: 'true',
  false: '0',
  0: '0',
  'no-verify': 'no-verify',
};
const SSL_MODE = /(?<=[?&])sslmode=([^&]*)/;
/** pg checks the certificate in each but the first two. Of some it warns, because its next version will not. */
const SSL_MODES = ['disable', 'no-verify', 'verify-full', 'verify-ca', 'require', 'prefer', 'allow'];
const COMPATIBLE = /(?<=[?&])uselibpqcompat=true(?:&|$)/;

function withClearTls(url: string): string {
  const [ssl, mode] = [SSL.exec(url)?.[1], SSL_MODE.exec(url)?.[1]];
  if (ssl !== undefined && SSL_VALUES[ssl] === undefined) throw unknownTls(`ssl=${ssl}`);
  if (mode !== undefined && !SSL_MODES.includes(mode)) throw unknownTls(`sslmode=${mode}`);
  const clear = ssl === undefined ? url : url.replace(SSL, `ssl=${SSL_VALUES[ssl]}`);
  const isChecked = mode !== undefined && SSL_MODES.indexOf(mode) >= SSL_MODES.indexOf('verify-full');
  return isChecked && !COMPATIBLE.test(url) ? clear.replace(SSL_MODE, 'sslmode=verify-full') : clear;
}

function unknownTls(parameter: string): Error {
  return new Error(
    `The PostgreSQL address has ${parameter}, which is not known: write sslmode=verify-full, or sslmode=disable for an ` +
      'unencrypted connection',
  );
}

/** `jit` like `WITHOUT_JIT`. A statement without a transaction of its own runs at the default isolation of its user. */
const SETTINGS = ['jit=off', 'default_transaction_isolation=read\\ committed'];

/** For `withSettings`. */
export const READ_ONLY = ['default_transaction_read_only=on'];

/**
 * For `withSettings`: one plan of each statement for any values. Planned for the id of an account that the statistics do not
 * know, because it is new, an index that finds all of the account looks as good as the one that finds a single row; and
 * every lookup would read the whole account. A limit before a join has to be written out: as a parameter, it counts as a
 * tenth of the table.
 */
export const PLANS_FOR_ANY_VALUES = ['plan_cache_mode=force_generic_plan'];

const OPTIONS = /(?<=[?&])options=[^&]*/;

/**
 * The connection string with settings for its sessions, which a pooler would refuse. They follow the address's own
 * `options`, which pg would otherwise take in their place. All other connections have them, so that `PGOPTIONS` applies
 * to none: a `search_path` in it would lead those without options to other tables.
 */
export function withSettings(address: PostgresAddress, settings: readonly string[] = []): string {
  const { connectionString, isPooled } = address;
  if (isPooled) return connectionString;
  // nothing but spaces is encoded: pg encodes the other characters again if the address itself has unencoded spaces
  const added = [...SETTINGS, ...settings].map((setting) => `-c ${setting}`.replaceAll(' ', '%20')).join('%20');
  if (OPTIONS.test(connectionString)) return connectionString.replace(OPTIONS, (own) => `${own}%20${added}`);
  return `${connectionString}${connectionString.includes('?') ? '&' : '?'}options=${added}`;
}

/** Of a standby, which is read without a pooler. */
export function standbyAddressOf(url: string): string {
  return withSettings({ ...addressOf(url), isPooled: false }, READ_ONLY);
}

/** A pooler's answer to a setting at session start: PgBouncer's, unless it is configured to ignore it, and RDS Proxy's. */
const REFUSED_SETTING = /unsupported startup parameter|RDS Proxy currently doesn.t support/;

const POOLER_ADVICE =
  'DATABASE_URL points to a connection pooler that refuses session settings. Add ?pgbouncer=true to DATABASE_URL, ' +
  'which works with PgBouncer in session and transaction mode, or connect to PostgreSQL itself';

const settingAdvice = (refusal: string) =>
  `The connection pooler refuses a setting: ${refusal}. Remove it from DATABASE_URL and PGOPTIONS, and set it for the user ` +
  'of the database: ALTER ROLE … SET …';

const UNKNOWN_CERTIFICATE = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const CERTIFICATE_ADVICE =
  'The certificate of PostgreSQL is not signed by an authority that this machine knows. Get the certificate of its ' +
  'authority from your provider, and add &sslrootcert=/path/to/it.pem to DATABASE_URL';

/** True when PostgreSQL refuses a connection because there are too many: of the server, the database or the user. */
export function hasTooMany(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '53300';
}

/** What keeps the first connection from being opened, with what to do. */
export function connectionProblem(error: unknown, { isPooled = false } = {}): Error {
  // one attempt for each address of the host
  const reason = error instanceof AggregateError ? error.errors[0] : error;
  const message = messageOf(reason);
  if (REFUSED_SETTING.test(message)) {
    return new Error(isPooled ? settingAdvice(message) : POOLER_ADVICE, { cause: error });
  }
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
  if (UNKNOWN_CERTIFICATE.includes(code)) return new Error(CERTIFICATE_ADVICE, { cause: error });
  const advice = hasTooMany(reason)
    ? `PostgreSQL accepts no further connections: ${message}. Raise max_connections, or the limit of the user or the database`
    : `PostgreSQL cannot be reached: ${message}. Check DATABASE_URL and that the server is running`;
  return new ServiceError('UNAVAILABLE', advice, { cause: error });
}

/** A pg configuration without the time limits of a session, which a pooler refuses. */
export function withoutTimeLimits<Config extends pg.ClientConfig>(config: Config): Config {
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, ...rest } = config;
  return rest as Config;
}
