import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { adapters } from '../adapters/index.ts';
import { createService, type Service, type ServiceParts } from './app/service.ts';
import { systemClock } from './clock.ts';
import { loadAdaptersInUse } from './deliveries/adapters-in-use.ts';
import { retryDueDeliveries } from './deliveries/retry.ts';
import { storeDelivery } from './deliveries/store.ts';
import { createApp } from './http/app.ts';
import { createMetrics } from './http/create-metrics.ts';
import type { Lifecycle } from './http/health.ts';
import { createMemoryCounter, type RequestCounter } from './http/rate-limit.ts';
import { routeGroups } from './http/routes.ts';
import { closeServer, createServer } from './http/server.ts';
import { createRetention } from './inbox/retention.ts';
import { dropOldSalts } from './links/visitor-hash.ts';
import { runScheduledPayouts } from './payouts/schedule.ts';
import { type Job, startBackground } from './process/background.ts';
import { type Config, ConfigError } from './process/config.ts';
import { createLog } from './process/log.ts';
import { createSealer } from './process/sealer.ts';
import { loadKeyFile } from './process/secret-key.ts';
import { openDatabase } from './storage/open.ts';
import { acquireServeLock } from './storage/sqlite/lock.ts';
import { createLockMemory, WriteLock } from './storage/sqlite/write-lock.ts';
import { startDeliveryThread } from './thread/start.ts';

/** After SIGTERM new requests are still answered for so long, while `/health/ready` sends the load balancer away. */
const DRAIN_NOTICE_MS = 1_000;
/** Then what is under way gets so long. */
const DRAIN_DEADLINE_MS = 7_000;
const EXIT_DEADLINE_MS = 9_500;

const RETRY_PAUSE_MS = 2_000;
const RETENTION_PAUSE_MS = 3_600_000;
const SCHEDULE_PAUSE_MS = 60_000;

export interface RunningServer {
  /** Where it really listens: `http://127.0.0.1:3000`. */
  url: string;
  service: Service;
  lifecycle: Lifecycle;
  /** Answers what is under way, then lets go of everything. */
  close(): Promise<void>;
}

/**
 * What a command works with; `service.database.close()` ends it.
 *
 * @throws ConfigError for a key file that cannot be used; Error when the database cannot be opened safely
 */
export async function openService(config: Config, log: Logger): Promise<Service> {
  return createService(await openParts(config, log));
}

/** @param writeLock where another thread of this process writes too */
async function openParts(config: Config, log: Logger, writeLock?: WriteLock): Promise<ServiceParts> {
  const key = config.secretKey ?? keyBeside(config.database);
  const database = await openDatabase(config.database.url, {
    writeLock,
    announce: ({ version, name }) => log.info({ version, name }, 'bringing the database up to date'),
  });
  return {
    database,
    storeDelivery: (job) => storeDelivery(database, job),
    clock: systemClock,
    log,
    adapterFor: (processor) => adapters[processor](),
    sealer: createSealer(key),
    baseUrl: config.baseUrl,
    parkedDays: config.parkedDays,
    deliveryRetentionDays: config.deliveryRetentionDays,
    rateLimitPerMinute: config.rateLimitPerMinute,
  };
}

/**
 * Opens everything and listens.
 *
 * @throws ConfigError when the port is taken; Error when another server works on the same SQLite file
 */
export async function startServer(
  config: Config,
  log = createLog(config.logLevel, config.logFormat),
): Promise<RunningServer> {
  const lockMemory = createLockMemory();
  const writeLock = new WriteLock(lockMemory, 1);
  const parts = await openParts(config, log, writeLock);
  const releases: (() => Promise<void> | void)[] = [() => parts.database.close()];
  const release = async () => {
    for (const releaseOne of releases.toReversed()) await releaseOne();
  };
  try {
    let { storeDelivery } = parts;
    if (config.database.engine === 'sqlite') {
      const lock = acquireServeLock(config.database.path);
      releases.unshift(() => lock.release());
      const storeHere = parts.storeDelivery;
      const databaseUrl = config.database.url;
      const thread = startDeliveryThread({ databaseUrl, lockMemory, writeLock, storeHere, log });
      releases.push(thread.close);
      storeDelivery = thread.store;
    }
    const service = createService({ ...parts, storeDelivery });
    await loadAdaptersInUse(service);
    const counter = await counterFor(config, log);
    releases.push(() => counter.close());
    const lifecycle: Lifecycle = { draining: false };
    const metrics = await createMetrics(config.metrics);
    const groups = routeGroups(service, { lifecycle, metrics });
    const server = createServer(
      createApp(service, groups, { counter, metrics, trustProxy: config.trustProxy }),
      lifecycle,
    );
    const url = await listen(server, config);
    const background = startBackground(jobsOf(service, config), log);
    releases.push(() => background.stop());
    releases.push(() => closeServer(server, DRAIN_DEADLINE_MS));
    log.info({ url, baseUrl: config.baseUrl, database: config.database.engine }, 'listening');
    // now, because a server may be ended in a way that leaves no time for it
    flushCompileCache();
    return {
      url,
      service,
      lifecycle,
      close() {
        lifecycle.draining = true;
        return release();
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** `refbridge serve`: runs until SIGTERM or SIGINT, then drains and ends the process with 0. */
export async function serve(config: Config): Promise<RunningServer> {
  const log = createLog(config.logLevel, config.logFormat);
  const starting = startServer(config, log);
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), EXIT_DEADLINE_MS).unref();
    const running = await starting;
    running.lifecycle.draining = true;
    log.info({ signal }, 'draining');
    // whoever stops it by hand has no load balancer that must notice
    if (signal === 'SIGTERM') await sleep(DRAIN_NOTICE_MS);
    await running.close();
    log.info('stopped');
    process.exit(0);
  };
  // before it listens: who reads that it does may stop it in the same moment
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return starting;
}

function jobsOf(service: Service, { payoutSchedule }: Config): Job[] {
  const scheduled =
    payoutSchedule === 'off'
      ? []
      : [{ name: 'payouts', pauseMs: SCHEDULE_PAUSE_MS, run: () => runScheduledPayouts(service, payoutSchedule) }];
  return [
    ...scheduled,
    { name: 'retry deliveries', pauseMs: RETRY_PAUSE_MS, run: () => retryDueDeliveries(service) },
    { name: 'drop old bodies', pauseMs: RETENTION_PAUSE_MS, run: createRetention(service).dropOldBodies },
    { name: 'drop old salts', pauseMs: RETENTION_PAUSE_MS, run: () => dropOldSalts(service) },
  ];
}

function keyBeside(database: Config['database']): Buffer {
  if (database.engine === 'sqlite') return loadKeyFile(database.path);
  throw new ConfigError([{ name: 'SECRET_KEY', message: 'is required with PostgreSQL' }]);
}

async function counterFor({ database }: Config, log: Logger): Promise<RequestCounter> {
  if (database.engine === 'sqlite') return createMemoryCounter();
  const { createPostgresCounter } = await import('./http/postgres-counter.ts');
  return createPostgresCounter(database.url, (error) =>
    log.warn({ reason: error.message }, 'rate limits: connection lost'),
  );
}

function listen(server: Server, { port, host }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = new ConfigError([
        { name: 'PORT', message: `${port} is in use: stop what listens there, or choose another` },
      ]);
      reject(error.code === 'EADDRINUSE' ? taken : error);
    });
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}
