import { pino } from 'pino';
import { adapters } from '../../adapters/index.ts';
import { METRICS_OFF } from '../../src/app/metrics.ts';
import { createService, type Service, type ServiceParts } from '../../src/app/service.ts';
import { systemClock } from '../../src/clock.ts';
import { readDelivery } from '../../src/deliveries/interpret.ts';
import { storeDelivery } from '../../src/deliveries/store.ts';
import { addDefaultLink } from '../../src/links/default-link.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { TEST_SECRET_KEY } from './secret-key.ts';

const BASE_URL = 'https://refer.example.com';

/** A service on `parts.database` without logs, with default settings except for `parts`. */
export function createTestService(parts: Partial<ServiceParts> & Pick<ServiceParts, 'database'>): Service {
  return createService({
    readLarge: async (delivery) => readDelivery(await adapters[delivery.processor](), delivery),
    storeDelivery: (job) => storeDelivery(parts.database, job),
    clock: systemClock,
    log: pino({ level: 'silent' }),
    metrics: METRICS_OFF,
    lifecycle: { draining: false },
    addDefaultLink: (tx, partner, url) => addDefaultLink(tx, parts.baseUrl ?? BASE_URL, partner, url),
    adapterFor: (processor) => adapters[processor](),
    sealer: createSealer(TEST_SECRET_KEY),
    baseUrl: BASE_URL,
    parkedDays: 90,
    deliveryRetentionDays: 90,
    events: { allowedHosts: new Set(['127.0.0.1', 'localhost']), retentionDays: 30 },
    rateLimitPerMinute: 100_000,
    clicksPerMinute: 0,
    clickStatistics: 'visits',
    singleSignOn: null,
    ...parts,
  });
}
