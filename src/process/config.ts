import { resolve } from 'node:path';
import { z } from 'zod';
import type { MetricsAccess } from '../app/metrics.ts';
import type { OpenIdSettings } from '../app/open-id-settings.ts';
import type { EventSettings } from '../app/service.ts';
import { CLICK_STATISTICS, type ClickStatistics } from '../core/click-statistics.ts';
import { PAYOUT_SCHEDULES, type PayoutSchedule } from '../core/payout-schedule.ts';
import { sqlitePathOf } from '../storage/open.ts';
import { ConfigError } from './config-error.ts';
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './log.ts';
import { isPostgresUrl, POSTGRES_URL_TEXT } from './postgres-url.ts';
import { parseSecretKey, parseSecretKeys, SECRET_KEY_TEXT, SECRET_KEYS_TEXT } from './secret-key-text.ts';
import { ISSUER_TEXT, missingForSingleSignOn, readIssuer, singleSignOnOf } from './single-sign-on-config.ts';
import { readTrustProxy, TRUST_PROXY_TEXT } from './trust-proxy.ts';

type DatabaseConfig = { engine: 'sqlite'; url: string; path: string } | { engine: 'postgres'; url: string };

/** A standby for lists and reports. */
interface ReplicaConfig {
  url: string;
  /** A standby that lags more than this is not read. */
  lagMaxMs: number;
}

/** The parsed environment; `.env.example` documents each variable. */
export interface Config {
  port: number;
  host: string;
  /** An origin, as browsers write it; like the domains of links, without the dot of the root. */
  baseUrl: string;
  database: DatabaseConfig;
  /** Null without a replica. */
  replica: ReplicaConfig | null;
  /** 32 bytes; null for the key file beside the SQLite database. */
  secretKey: Buffer | null;
  /** Earlier keys, which only decrypt. */
  secretKeyFallbacks: readonly Buffer[];
  rateLimitPerMinute: number;
  /** Clicks recorded per minute and address; 0 for no limit. */
  clicksPerMinute: number;
  clickStatistics: ClickStatistics;
  /** 0 for no limit. */
  connectionsPerAddress: number;
  deliveryRetentionDays: number;
  events: EventSettings;
  parkedDays: number;
  payoutSchedule: PayoutSchedule;
  /** As Express's `trust proxy`. */
  trustProxy: boolean | number | string;
  logLevel: LogLevel;
  logFormat: LogFormat;
  metrics: MetricsAccess;
  /** The page caches of all of a server's connections together. */
  sqliteCacheMb: number;
  /** Null without single sign-on. */
  singleSignOn: OpenIdSettings | null;
}

/**
 * @param environment empty variables count as not set
 * @throws ConfigError with every problem at once
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const result = environmentSchema.safeParse(variables);
  const issues = result.success ? [] : result.error.issues;
  const problems = issues.map(({ path, message }) => ({ name: path.map(String).join('.'), message }));
  problems.push(...missingForSingleSignOn(variables));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  const { BASE_URL, ...read } = result.data;
  return {
    port: read.PORT,
    host: read.HOST,
    baseUrl: BASE_URL ?? new URL(`http://localhost:${read.PORT}`).origin,
    database: read.DATABASE_URL,
    replica: read.DATABASE_READ_URL
      ? { url: read.DATABASE_READ_URL, lagMaxMs: read.DATABASE_READ_LAG_SECONDS * 1_000 }
      : null,
    secretKey: read.SECRET_KEY ?? null,
    secretKeyFallbacks: read.SECRET_KEY_FALLBACKS,
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
    clicksPerMinute: read.CLICKS_PER_MINUTE,
    clickStatistics: read.CLICK_STATISTICS,
    connectionsPerAddress: read.CONNECTIONS_PER_ADDRESS,
    deliveryRetentionDays: read.DELIVERY_RETENTION_DAYS,
    events: { allowedHosts: read.EVENT_ALLOWED_HOSTS, retentionDays: read.EVENT_RETENTION_DAYS },
    parkedDays: read.PARKED_DAYS,
    payoutSchedule: read.PAYOUT_SCHEDULE,
    trustProxy: read.TRUST_PROXY,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
    metrics: read.METRICS,
    sqliteCacheMb: read.SQLITE_CACHE_MB,
    singleSignOn: singleSignOnOf(read),
  };
}

const METRICS_TOKEN_CHARACTERS_MIN = 16;
const DAYS_MAX = 3650;
const CACHE_MB_MIN = 4;
const CACHE_MB_MAX = 65_536;

/** A field that `read` parses from text; null from `read` is a problem with this message. */
function field<Value>(read: (text: string) => Value | null, message: string) {
  return z.string().transform((text, context) => {
    const value = read(text.trim());
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function wholeNumber(min: number, max: number) {
  return field((text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : null;
  }, `must be a whole number from ${min} to ${max}`);
}

const environmentSchema = z
  .object({
    PORT: wholeNumber(0, 65_535).default(3000),
    HOST: field((text) => text, '').default('0.0.0.0'),
    BASE_URL: field(
      readBaseUrl,
      'must be an http or https URL without a path, for example https://refer.example.com',
    ).optional(),
    DATABASE_URL: field(readDatabaseUrl, `must be file:./path/to/refbridge.db or ${POSTGRES_URL_TEXT}`).prefault(
      'file:./data/refbridge.db',
    ),
    DATABASE_READ_URL: field(
      (text) => (isPostgresUrl(text) ? text : null),
      `must name a standby, whose primary is in DATABASE_URL: ${POSTGRES_URL_TEXT}`,
    ).optional(),
    DATABASE_READ_LAG_SECONDS: wholeNumber(1, 60).default(5),
    SECRET_KEY: field(parseSecretKey, SECRET_KEY_TEXT).optional(),
    SECRET_KEY_FALLBACKS: field(parseSecretKeys, SECRET_KEYS_TEXT).prefault(''),
    RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(600),
    CLICKS_PER_MINUTE: wholeNumber(0, 1_000_000).default(60),
    CLICK_STATISTICS: z
      .enum(CLICK_STATISTICS, { error: `must be one of ${CLICK_STATISTICS.join(', ')}` })
      .default('visits'),
    CONNECTIONS_PER_ADDRESS: wholeNumber(0, 100_000).default(0),
    DELIVERY_RETENTION_DAYS: wholeNumber(0, DAYS_MAX).default(90),
    EVENT_ALLOWED_HOSTS: field(
      readHosts,
      'must be host names or addresses, separated by commas: localhost,hooks.internal; without scheme, port and wildcards',
    ).prefault(''),
    EVENT_RETENTION_DAYS: wholeNumber(0, DAYS_MAX).default(30),
    PARKED_DAYS: wholeNumber(1, DAYS_MAX).default(90),
    PAYOUT_SCHEDULE: z
      .enum(PAYOUT_SCHEDULES, { error: `must be one of ${PAYOUT_SCHEDULES.join(', ')}` })
      .default('off'),
    TRUST_PROXY: field(readTrustProxy, TRUST_PROXY_TEXT).default(false),
    LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
    LOG_FORMAT: z.enum(LOG_FORMATS, { error: `must be one of ${LOG_FORMATS.join(', ')}` }).default('json'),
    METRICS: field(
      readMetricsAccess,
      `must be off, public, or a token of at least ${METRICS_TOKEN_CHARACTERS_MIN} characters that Prometheus sends as a bearer token`,
    ).default({ kind: 'off' }),
    SQLITE_CACHE_MB: wholeNumber(CACHE_MB_MIN, CACHE_MB_MAX).default(20),
    OIDC_ISSUER: field(readIssuer, ISSUER_TEXT).optional(),
    OIDC_CLIENT_ID: z.string().trim().optional(),
    OIDC_CLIENT_SECRET: z.string().trim().optional(),
  })
  .superRefine(({ DATABASE_URL, DATABASE_READ_URL, SECRET_KEY }, context) => {
    if (DATABASE_URL.engine === 'sqlite' && DATABASE_READ_URL !== undefined) {
      const needless = 'needs PostgreSQL in DATABASE_URL; on SQLite, lists and reports have their own thread';
      context.addIssue({ code: 'custom', path: ['DATABASE_READ_URL'], message: needless });
    }
    if (DATABASE_URL.engine === 'sqlite' || SECRET_KEY !== undefined) return;
    const message =
      'is required with PostgreSQL, where several processes must share it; create one with: openssl rand -base64 32';
    context.addIssue({ code: 'custom', path: ['SECRET_KEY'], message });
  });

function readBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const isOrigin = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  return isOrigin ? url.origin.replace(/\.(?=(:\d+)?$)/, '') : null;
}

function readDatabaseUrl(text: string): DatabaseConfig | null {
  if (isPostgresUrl(text)) return { engine: 'postgres', url: text };
  const path = sqlitePathOf(text);
  return path === null || path.endsWith('/') ? null : { engine: 'sqlite', url: text, path: resolve(path) };
}

/** As URLs name them: in lower case, an IPv6 address without brackets. */
function readHosts(text: string): ReadonlySet<string> | null {
  const hosts = text.split(',').map((host) => host.trim().toLowerCase());
  const named = hosts.filter((host) => host !== '');
  return named.every((host) => /^[\w.-]+$|^[\da-f:]+$/.test(host)) ? new Set(named) : null;
}

function readMetricsAccess(text: string): MetricsAccess | null {
  if (text === 'off' || text === 'public') return { kind: text };
  return text.length >= METRICS_TOKEN_CHARACTERS_MIN && /^\S+$/.test(text) ? { kind: 'token', token: text } : null;
}
