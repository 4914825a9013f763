import { afterEach, describe, expect, it } from 'vitest';
import type { Processor } from '../../../src/core/processor.ts';
import { engines } from '../../helpers/databases.ts';
import { createScene, type Scene } from './scene.ts';

type Given = (scene: Scene) => Promise<Record<string, string>>;

const toCustomer: Given = async ({ referrer }) => {
  await referrer.lead('somebody-else');
  return { customerExternalId: 'somebody-else' };
};
const toClick: Given = async ({ referrer }) => ({ clickId: await referrer.click() });
const toPartner: Given = async ({ referrer }) => ({ partnerId: referrer.partnerId });

interface Payment {
  processor: Processor;
  fixture: string;
  invoiceId: string;
  /** The attribution steps that found nobody, in order. */
  tried: string[];
  /** The owner that a person chooses. */
  give: Given;
  book: string;
}

const PAYMENTS: Payment[] = [
  {
    processor: 'stripe',
    fixture: 'invoice.paid--first',
    invoiceId: 'in_1TdAurora3MaraFirst',
    tried: [
      'external_id user_1042',
      'processor_customer sub_1TdAurora3MaraPro',
      'processor_customer cus_Ux3MaraLindqvist',
      'discount_code FRIENDS10',
      'discount_code promo_1TdAuroraFriends10',
      'discount_code aurora-friends',
      'email mara.lindqvist@example.com',
    ],
    give: toCustomer,
    book: '4410 usd earns 882',
  },
  {
    processor: 'shopify',
    fixture: 'orders_paid',
    invoiceId: 'gid://shopify/Order/6184520093761',
    tried: [
      'external_id user_4101',
      'metadata_click_id clk_0199b9d2c8a07Qm2Xv9Lr4TzKp8Wd3Bs',
      'processor_customer gid://shopify/Customer/7730411298881',
      'discount_code FERNFRIEND10',
      'email ines.okafor@example.com',
    ],
    give: toClick,
    book: '9900 usd earns 1980',
  },
  {
    processor: 'paddle',
    fixture: 'transaction.paid--subscription-first',
    invoiceId: 'txn_01k9w2p0a2b4c6d8e0f1g3h5jk',
    tried: ['external_id user_4711', 'processor_customer ctm_01k9w2m6t4n8hq3r5c7v0x1yzb'],
    give: toPartner,
    book: '4900 eur earns 980',
  },
  {
    processor: 'polar',
    fixture: 'order.paid--subscription-first',
    invoiceId: '81c6a3f0-2d5e-47b9-9a10-4e7c8b2d6f31',
    tried: [
      'external_id user_4711',
      'processor_customer 5f04d9b3-8e1c-46a7-b2d0-9c73e1a5f860',
      'processor_customer e2b8f6a1-0c47-4f9d-a35e-6b91d8c7042f',
      'email priya.nair@example.com',
    ],
    give: toCustomer,
    book: '2900 usd earns 580',
  },
  {
    processor: 'revenuecat',
    fixture: 'INITIAL_PURCHASE',
    invoiceId: 'APP_STORE:380001204417733',
    tried: [
      'external_id user_5101',
      'metadata_click_id clk_0199c0a4e1f0Zt8Lw3QmXr5BvK1pNd7G',
      'processor_customer 380001204417733',
      'processor_customer $RCAnonymousID:5f1c9e0b7a6d4c2f8e3b1a0d9c8f7e6a',
      'discount_code TOMAS-AUTUMN',
      'email tomas.lindqvist@example.com',
    ],
    give: toClick,
    book: '799 eur earns 160',
  },
];

describe.each(engines)('a parked payment, on %s', (engine) => {
  let scene: Scene;
  afterEach(() => scene.app.close());

  it.each(PAYMENTS)(
    'of $processor shows what was tried, and goes to the partner that a person chooses',
    async (payment) => {
      const { processor, fixture, invoiceId, tried, give, book } = payment;
      scene = await createScene(engine, processor);
      expect(await scene.deliver(fixture)).toMatch(/^unattributed: /);
      const { body } = await scene.app.call('GET', '/api/parked-payments');
      expect(body.data).toEqual([
        expect.objectContaining({ processor, invoiceId, references: expect.arrayContaining([invoiceId]) }),
      ]);
      const [{ id, steps }] = body.data;
      expect(steps.map(({ step, value }: { step: string; value: string }) => `${step} ${value}`)).toEqual(tried);
      for (const { result, reason } of steps) {
        expect(result).not.toBe('matched');
        expect(reason).not.toBe('');
      }
      const answer = await scene.app.call('POST', `/api/parked-payments/${id}/attribute`, { body: await give(scene) });
      expect(answer.status).toBe(200);
      expect(answer.body.attribution.matchedBy).toBe('by_hand');
      expect(await scene.books()).toEqual({ [invoiceId]: book });
      expect((await scene.app.call('GET', '/api/parked-payments')).body.data).toEqual([]);
    },
  );
});
