import type { Logger } from 'pino';
import { adapters } from '../adapters/index.ts';
import { METRICS_OFF } from './app/metrics.ts';
import { createService, type Service, type ServiceParts } from './app/service.ts';
import { systemClock } from './clock.ts';
import { readDelivery } from './deliveries/interpret.ts';
import { addDefaultLink } from './links/default-link.ts';
import type { Config } from './process/config.ts';
import { openConfigured } from './process/open-database.ts';
import { prepareSealer } from './process/prepare-sealer.ts';
import { sampleSealed } from './sealing/sealed-values.ts';
import type { OpenOptions } from './storage/open.ts';

/**
 * Opens the service for a command; `service.database.close()` ends it. Apart from `main.ts`, so that a command does not
 * load the web server, a quarter of all modules.
 *
 * @param options whether it may give an empty database its schema; it never migrates one that a server may be using
 * @throws ConfigError for an unusable key file; SchemaMismatch; Error when the database cannot be opened safely
 */
export async function openService(
  config: Config,
  log: Logger,
  options: Pick<OpenOptions, 'schema' | 'sqlite'> = { schema: 'create' },
): Promise<Service> {
  return createService(await openParts(config, log, options));
}

/** What `createService` takes, without metrics: the database, the keys and the configured settings. */
export async function openParts(config: Config, log: Logger, options: OpenOptions): Promise<ServiceParts> {
  const openSealer = prepareSealer(config);
  const database = await openConfigured(config, log, options);
  const sealer = await openSealer(() => sampleSealed(database)).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  return {
    database,
    readLarge: async (delivery) => readDelivery(await adapters[delivery.processor](), delivery),
    // a server replaces it; commands store none, and this module loads a third of all others
    storeDelivery: async (job) => (await import('./deliveries/store.ts')).storeDelivery(database, job),
    clock: systemClock,
    log,
    metrics: METRICS_OFF,
    lifecycle: { draining: false },
    adapterFor: (processor) => adapters[processor](),
    addDefaultLink: (tx, partner, url) => addDefaultLink(tx, config.baseUrl, partner, url),
    sealer,
    baseUrl: config.baseUrl,
    parkedDays: config.parkedDays,
    deliveryRetentionDays: config.deliveryRetentionDays,
    events: config.events,
    rateLimitPerMinute: config.rateLimitPerMinute,
    clicksPerMinute: config.clicksPerMinute,
    clickStatistics: config.clickStatistics,
    singleSignOn: config.singleSignOn,
  };
}
