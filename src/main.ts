import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createService, type Service, type ServiceParts } from './app/service.ts';
import type { DeliveryJob } from './core/delivery.ts';
import { loadAdaptersInUse } from './deliveries/adapters-in-use.ts';
import { reportUnreadableSecrets } from './deliveries/sealed-secrets.ts';
import { storeDelivery as storeIn } from './deliveries/store.ts';
import { reportUnreadableEventSecrets } from './events/sealed-secrets.ts';
import { STOP_MS, startEventSender } from './events/sender.ts';
import { startImportRunner } from './exchange/jobs/runner.ts';
import { createApp } from './http/app.ts';
import { trustedProxies } from './http/client-address.ts';
import { noteRefusals } from './http/errors.ts';
import { createMetrics } from './http/metrics.ts';
import { createMemoryCounter, type RequestCounter } from './http/rate-limit.ts';
import { createCompatRoutes, createRoutes } from './http/routes.ts';
import { closeServer, createServer } from './http/server.ts';
import { jobsOf } from './jobs.ts';
import { refuseReservedLinks } from './links/reserved-links.ts';
import { openParts } from './open-service.ts';
import { measure } from './overview/measure.ts';
import { startBackground } from './process/background.ts';
import type { Config } from './process/config.ts';
import { listen } from './process/listen.ts';
import { createLog, droppedLogLines } from './process/log.ts';
import { logMigrations } from './process/migration-log.ts';
import { lockForServing } from './process/open-database.ts';
import { createMissingKey } from './process/prepare-sealer.ts';
import { logReplica } from './process/replica-log.ts';
import { addressOf, withSettings } from './storage/postgres/address.ts';
import { replicaFallbacks, replicaLagMs } from './storage/replica.ts';
import { stoppedReports } from './storage/report-deadline.ts';
import { divideCache } from './storage/sqlite/cache.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from './storage/sqlite/write-lock.ts';
import { createInterpreter } from './thread/interpreter.ts';
import { startDeliveryThread } from './thread/start.ts';

/** How a server stops, step by step. */
export const STOPPING = {
  /** How long new requests are still answered after SIGTERM, while `/health/ready` turns the load balancer away. */
  noticeMs: 1_000,
  /** How long requests in flight may take after that. */
  drainMs: 7_000,
  /** How long the event sender waits for answers, at the same time. */
  sendMs: STOP_MS,
  /** After this long in total, the process ends, whatever it still does. */
  exitMs: 9_500,
};

export interface RunningServer {
  /** The address that the server listens on: `http://127.0.0.1:3000`. */
  url: string;
  service: Service;
  /** Answers requests in flight, then releases everything. Further calls wait for the first. */
  close(): Promise<void>;
}

/**
 * Opens the service and listens.
 *
 * @throws ConfigError when it cannot listen there; Error when another server uses the same SQLite file
 */
export async function startServer(
  config: Config,
  log = createLog(config.logLevel, config.logFormat),
  { drainMs, sendMs }: Pick<typeof STOPPING, 'drainMs' | 'sendMs'> = STOPPING,
): Promise<RunningServer> {
  const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
  const caches = divideCache(config.sqliteCacheMb);
  const onProblem = (message: string, details: object) => log.error(details, message);
  const releases: (() => Promise<void> | void)[] = [];
  const release = async () => {
    for (const releaseOne of releases.toReversed()) await releaseOne();
  };
  let closing: Promise<void> | undefined;
  try {
    releases.push(lockForServing(config, log));
    const sqlite = { writeLock, reportThread: { onProblem }, caches: caches.main };
    const replica = config.replica ? { ...config.replica, onChange: logReplica(log) } : undefined;
    const migrating = { schema: 'migrate', announce: logMigrations(log), check: refuseReservedLinks } as const;
    const parts = await openParts(config, log, { ...migrating, sqlite, replica });
    releases.push(() => parts.database.close());
    createMissingKey(config);
    await reportUnreadableSecrets(parts);
    await reportUnreadableEventSecrets(parts);
    const storeHere = (job: DeliveryJob) => storeIn(parts.database, job);
    let storeDelivery: ServiceParts['storeDelivery'] = storeHere;
    if (config.database.engine === 'sqlite') {
      const databaseUrl = config.database.url;
      const thread = startDeliveryThread({ databaseUrl, writeLock, caches: caches.deliveries, storeHere, log });
      releases.push(thread.close);
      storeDelivery = thread.store;
    }
    const interpreter = createInterpreter({ readHere: parts.readLarge, log });
    releases.push(interpreter.close);
    const metrics = await createMetrics(config.metrics, {
      droppedLogLines,
      stoppedReports,
      ...(config.replica ? { replica: { fallbacks: replicaFallbacks, lagMs: replicaLagMs } } : {}),
    });
    const service = createService({ ...parts, readLarge: interpreter.read, storeDelivery, metrics });
    await loadAdaptersInUse(service);
    const counter = await counterFor(config, log);
    releases.push(() => counter.close());
    // now, so that nothing is missed that is counted before the first look
    if (metrics.access.kind !== 'off') await measure(service);
    const isTrusted = trustedProxies(config.trustProxy);
    const app = createApp(service, [...createRoutes(), ...createCompatRoutes()], { counter, isTrusted });
    const perAddressMax = config.connectionsPerAddress === 0 ? null : config.connectionsPerAddress;
    const server = createServer(app, service.lifecycle, {
      perAddressMax,
      isTrusted,
      metrics,
      noteRefusal: noteRefusals(service),
    });
    const url = await listen(server, config);
    const background = startBackground(jobsOf(service, config), log);
    const sender = startEventSender(service, { stopMs: sendMs });
    const imports = startImportRunner(service);
    releases.push(async () => {
      // at once, because each may need most of the time
      await Promise.all([closeServer(server, drainMs), sender.stop(), imports.stop(), background.stop()]);
    });
    log.info({ url, baseUrl: config.baseUrl, database: config.database.engine }, 'listening');
    // now, because a kill would leave no time for it
    flushCompileCache();
    return {
      url,
      service,
      close() {
        service.lifecycle.draining = true;
        // once, because the number of a file that was closed may belong to another file by then
        closing ??= release();
        return closing;
      },
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** `refbridge serve`: runs until SIGTERM, SIGINT or SIGHUP, then drains and exits with 0. */
export async function serve(config: Config, stopping = STOPPING): Promise<RunningServer> {
  const log = createLog(config.logLevel, config.logFormat);
  const starting = startServer(config, log, stopping);
  let isStopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => {
      // not process.exit(), which waits for threads: SQLite may keep one busy
      process.removeListener(signal, stop);
      process.kill(process.pid, signal);
    }, stopping.exitMs).unref();
    const running = await starting.catch(() => null);
    if (running === null) return; // whoever called says why it did not start
    running.service.lifecycle.draining = true;
    log.info({ signal }, 'draining');
    // for a person who presses Ctrl-C or closes the terminal, no load balancer has to notice anything
    if (signal === 'SIGTERM') await sleep(stopping.noticeMs);
    await running.close();
    log.info('stopped');
    process.exit(0);
  };
  // before it listens, because whoever sees the log line may stop it at once
  process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop);
  return starting;
}

async function counterFor({ database }: Config, log: Logger): Promise<RequestCounter> {
  if (database.engine === 'sqlite') return createMemoryCounter();
  const { createPostgresCounter } = await import('./http/postgres-counter.ts');
  const address = addressOf(database.url);
  // counts may be lost in a crash, and an fsync per request would be slow
  const counterUrl = withSettings(address, ['synchronous_commit=off']);
  const onError = (error: Error) => log.warn({ reason: error.message }, 'rate limits: connection lost');
  return createPostgresCounter(counterUrl, onError, address);
}
