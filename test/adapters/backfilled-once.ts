import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import type { Processor } from '../../src/core/processor.ts';
import { interpretDelivery } from '../../src/deliveries/interpret.ts';
import { createId } from '../../src/ids.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { type EndState, endStateOf } from '../helpers/end-state.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';
import { DEFAULT_SETTINGS } from './fixtures.ts';

export interface BackfilledStory {
  processor: Processor;
  /** The bodies of webhooks: a payment of `user_4711`, and a refund of a part of it, in one report or several. */
  webhooks: readonly Buffer[];
  /** Reads the same from the API. */
  read(): Promise<DeliveryRequest[]>;
  /** What it comes to. */
  sale: Partial<EndState['sales'][number]>;
}

/** What arrives, in order. */
const ORDERS = {
  'webhooks, then what was read': ['webhooks', 'read'],
  'what was read, then webhooks': ['read', 'webhooks'],
  'what was read, twice': ['read', 'read'],
  'what was read, in reverse, then webhooks': ['read in reverse', 'webhooks'],
  'what was read alone': ['read'],
} as const;

export function describeBackfilled({ processor, webhooks, read, sale }: BackfilledStory): void {
  describe.each(engines)(`on %s, one sale, one commission and one refund of ${processor} come from`, (engine) => {
    let many: AppOfMany;
    beforeAll(async () => {
      many = await createAppOfMany(engine, { service: { clock: () => Date.UTC(2026, 10, 20) } });
    });
    afterAll(() => many.close());

    it.each(Object.entries(ORDERS))('%s', async (_name, order) => {
      const app = await many.addApp();
      const referrer = await createReferrer(app);
      await referrer.lead('user_4711');
      const endpoint = await createEndpoint(app, processor);
      const outcomes: string[] = [];
      for (const what of order) {
        if (what === 'webhooks') {
          for (const body of webhooks)
            outcomes.push((await endpoint.deliver(JSON.parse(body.toString()))).body.outcome);
          continue;
        }
        const deliveries = await read();
        for (const request of what === 'read' ? deliveries : deliveries.toReversed()) {
          outcomes.push(await store(app, processor, endpoint.id, request));
        }
      }
      expect(await endStateOf(app.service, app.accountId)).toMatchObject({
        sales: [{ customer: 'user_4711', status: 'pending', held: 0, ...sale }],
        ofSecondRecords: 0,
        owed: (sale.commissionAmount ?? 0) - (sale.reversedCommissionAmount ?? 0),
        queuedPayouts: 1,
        parked: 0,
      });
      expect(outcomes.filter((outcome) => outcome === 'sale')).toHaveLength(1);
      await requireAgreement(app.service, app.accountId);
    });
  });
}

/** Stores a delivery without a signature. */
async function store(app: TestApp, processor: Processor, endpointId: string, request: DeliveryRequest) {
  const { service, accountId } = app;
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
