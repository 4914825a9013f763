import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey } from '../../adapters/contract/backfill.ts';
import type { Fact } from '../../src/core/facts.ts';
import { parseEndpoint } from '../../src/deliveries/endpoint-fields.ts';
import { createEndpoint } from '../../src/deliveries/endpoints.ts';
import { storeIfMissing } from '../../src/deliveries/store-missing.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { CHARGE, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { paymentJob } from '../helpers/delivery-job.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { applyFacts, hints, received, referenced, refunded } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';

const AT_STRIPE = hints({ processorCustomerId: 'cus_mia' });
const ORDER = received(['order_1'], hints(MIA));

/** Facts of one payment each, and what they lead to whoever tells them. */
const STORIES: Record<string, { told: Fact[]; sales: number[] }> = {
  'a renewal by the customer of a payment that two reports tell of': {
    told: [
      received(['in_1', 'pi_1'], hints(MIA)),
      received(['in_1'], AT_STRIPE),
      received(['in_2'], AT_STRIPE, { grossMinor: 6_000, netMinor: 5_000, taxMinor: 1_000 }),
    ],
    sales: [5_000, 10_000],
  },
  'a renewal by the customer whom only the charge of a payment names': {
    told: [
      received(['pi_1', 'cs_1'], hints(MIA)),
      { ...referenced('pi_1'), customer: AT_STRIPE },
      received(['in_2'], AT_STRIPE, { grossMinor: 6_000, netMinor: 5_000, taxMinor: 1_000 }),
    ],
    sales: [5_000, 10_000],
  },
  'a payment that is announced and captured, and its refund': {
    told: [
      { ...received(['pi_1', 'cs_1'], hints(MIA)), kind: 'payment.announced' },
      {
        kind: 'payment.captured',
        references: CHARGE,
        amountMinor: 12_000,
        currency: 'usd',
        occurredAt: ORDER.occurredAt,
      },
      refunded(CHARGE, { refundId: 're_1', amountMinor: 3_000 }),
    ],
    sales: [10_000],
  },
  'an order whose edit is undone': {
    told: [
      { ...ORDER, statedAt: 1_000 },
      { ...ORDER, statedAt: 2_000, grossMinor: 24_000, netMinor: 20_000, taxMinor: 4_000 },
      { ...ORDER, statedAt: 3_000 },
    ],
    sales: [10_000],
  },
};

type Way = 'webhook' | 'record' | 'both';

describe.each(engines)('what webhooks and records of an API tell in any order, on %s,', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  async function createRecords({ accountId }: ReferredAccount) {
    const body = parseEndpoint({ processor: 'stripe' });
    const endpointId = asId<'whe'>((await createEndpoint(app.service, accountId, body)).id);
    return (fact: Fact, key: string) => {
      const job = paymentJob({ accountId, endpointId }, 'in_any', null);
      return storeIfMissing(
        app.service.database,
        {
          ...job,
          received: { ...job.received, deliveryKey: backfillKey(key, fact) },
          interpreted: { interpretation: { kind: 'facts', facts: [fact] }, failure: null },
          isRecord: true,
        },
        { isDryRun: false, findEarlier: async () => [], note: async () => undefined },
      );
    };
  }

  it.each(Object.entries(STORIES))('leads to the same sales: %s', async (_name, { told, sales }) => {
    const order = fc.shuffledSubarray([...told, null], { minLength: told.length + 1 });
    const ways = fc.array(fc.constantFrom<Way>('webhook', 'record', 'both'), { minLength: 3, maxLength: 3 });
    const everything = fc.asyncProperty(order, ways, async (arrivals, way) => {
      const account = await createReferredAccount(app.service);
      const read = await createRecords(account);
      for (const fact of arrivals) {
        if (fact === null) {
          await lead(app, account);
          continue;
        }
        const by = way[told.indexOf(fact)];
        if (by !== 'record') await applyFacts(app.service, account.accountId, fact);
        if (by !== 'webhook') await read(fact, 'first');
      }
      const ended = await endStateOf(app.service, account.accountId);
      expect(ended.sales.map(({ amount }) => amount)).toEqual(sales);
      await requireAgreement(app.service, account.accountId);
      for (const fact of told) await read(fact, 'again');
      expect(await endStateOf(app.service, account.accountId)).toEqual(ended);
    });
    // of the second fact, only a record told
    const example: [(Fact | null)[], Way[]] = [
      [null, ...told],
      ['webhook', 'record', 'webhook'],
    ];
    await fc.assert(everything, { numRuns: engine === 'sqlite' ? rounds(300) : rounds(50), examples: [example] });
  });
});
