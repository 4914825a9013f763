import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import type { Processor } from '../../src/core/processor.ts';
import { requireEndpoint } from '../../src/deliveries/endpoints.ts';
import { interpretDelivery } from '../../src/deliveries/interpret.ts';
import { createId } from '../../src/ids.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { type EndState, endStateOf } from '../helpers/end-state.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { storeReadBack } from '../helpers/store-read-back.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';
import { DEFAULT_SETTINGS } from './fixtures.ts';

export interface BackfilledStory {
  processor: Processor;
  /** Of its endpoint. */
  settings?: Record<string, unknown>;
  /** The bodies of webhooks: a payment of `user_4711`, and a refund of a part of it, in one report or several. */
  webhooks: readonly Buffer[];
  /** Reads the same from the API. */
  read(): Promise<DeliveryRequest[]>;
  /** What it comes to. */
  sale: Partial<EndState['sales'][number]>;
}

type Arrival = 'webhooks' | 'read' | 'read in reverse';

/** What arrives, in order, and what becomes of it apart from duplicates and what was known. */
const ORDERS: Record<string, { arrivals: readonly Arrival[]; outcomes: readonly string[] }> = {
  'webhooks, then what was read': { arrivals: ['webhooks', 'read'], outcomes: ['sale', 'reversal'] },
  'what was read, then webhooks': { arrivals: ['read', 'webhooks'], outcomes: ['sale', 'reversal'] },
  'what was read, twice': { arrivals: ['read', 'read'], outcomes: ['sale', 'reversal'] },
  'what was read, in reverse, then webhooks': {
    arrivals: ['read in reverse', 'webhooks'],
    outcomes: ['noted', 'sale'],
  },
  'what was read alone': { arrivals: ['read'], outcomes: ['sale', 'reversal'] },
};

export function describeBackfilled({ processor, settings, webhooks, read, sale }: BackfilledStory): void {
  describe.each(engines)(`on %s, one sale, one commission and one refund of ${processor} come from`, (engine) => {
    let many: AppOfMany;
    beforeAll(async () => {
      many = await createAppOfMany(engine, { service: { clock: () => Date.UTC(2026, 10, 20) } });
    });
    afterAll(() => many.close());

    it.each(Object.entries(ORDERS))('%s', async (_name, { arrivals, outcomes }) => {
      const app = await many.addApp();
      const referrer = await createReferrer(app);
      await referrer.lead('user_4711');
      const endpoint = await createEndpoint(app, processor, settings);
      const became: string[] = [];
      for (const arrival of arrivals) {
        const deliveries = arrival === 'webhooks' ? await signed(app, processor, webhooks) : await read();
        const [take, known] = arrival === 'webhooks' ? [store, 'duplicate'] : [storeReadBack, 'known'];
        for (const delivery of arrival === 'read in reverse' ? deliveries.toReversed() : deliveries) {
          const outcome = await take(app, endpoint.id, delivery);
          if (outcome !== known) became.push(outcome);
        }
      }
      expect(became).toEqual(outcomes);
      expect(await endStateOf(app.service, app.accountId)).toMatchObject({
        sales: [{ customer: 'user_4711', status: 'pending', held: 0, ...sale }],
        ofSecondRecords: 0,
        owed: (sale.commissionAmount ?? 0) - (sale.reversedCommissionAmount ?? 0),
        queuedPayouts: 1,
        parked: 0,
      });
      await requireAgreement(app.service, app.accountId);
    });
  });
}

async function signed(
  { service }: TestApp,
  processor: Processor,
  bodies: readonly Buffer[],
): Promise<DeliveryRequest[]> {
  const adapter = await service.adapterFor(processor);
  const endpoint = { secrets: ['whsec_example'] };
  return bodies.map((rawBody) => ({ rawBody, headers: adapter.sign(rawBody, endpoint, service.clock()) }));
}

/** Stores a delivery as if its signature were verified, which Polar's package does by the system's clock. */
async function store({ service, accountId }: TestApp, endpointId: string, request: DeliveryRequest): Promise<string> {
  const { processor } = await service.database.read((tx) => requireEndpoint(tx, accountId, endpointId));
  const unread = { ...request, processor, settings: DEFAULT_SETTINGS, programId: null, verification: null };
  const { deliveryKey, eventType, interpreted } = interpretDelivery(await service.adapterFor(processor), unread);
  const received = {
    id: createId('dlv'),
    accountId,
    endpointId: asId<'whe'>(endpointId),
    processor,
    deliveryKey: deliveryKey ?? '',
    eventType,
    receivedAt: service.clock(),
    headers: '{}',
    body: request.rawBody,
  };
  const { outcome } = await service.storeDelivery({ received, interpreted, parkedDays: 90, isTouchDue: false });
  return outcome;
}
