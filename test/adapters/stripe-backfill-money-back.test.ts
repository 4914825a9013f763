import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import stripe from '../../adapters/stripe/index.ts';
import { openStripeApi, type StripeApi } from './stripe-api.ts';
import { interpretDelivery, readRecords } from './stripe-backfill-pages.ts';
import { factsOf, interpretPayload, payloadOf } from './stripe-events.ts';

const HOUR = 3600;

let api: StripeApi;
beforeEach(async () => {
  api = await openStripeApi();
});
afterEach(() => api.close());

describe('a refund that was read gives the facts of its event', () => {
  const charge = { object: 'charge', created: 1_784_000_000, livemode: true, currency: 'usd', amount: 5_000 };

  function addRefund(refund: Record<string, unknown>) {
    api.add('refunds', refund);
    api.addExpandable({ ...charge, id: refund.charge, amount_captured: 5_000, balance_transaction: null });
    api.addExpandable({ id: refund.payment_intent, object: 'payment_intent', livemode: true });
  }

  test.each(['refund.created', 'refund.created--pending'])('%s', async (fixture) => {
    const webhook = payloadOf(fixture);
    addRefund(webhook.data.object);
    const [delivery, ...others] = await readRecords(api);
    expect(others).toEqual([]);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });

  test.each(['refund.failed', 'refund.updated--canceled'])('%s, at the time of the failure', async (fixture) => {
    const webhook = payloadOf(fixture);
    addRefund({ ...webhook.data.object, failure_balance_transaction: 'txn_failed' });
    const { created } = webhook;
    api.addExpandable({ id: 'txn_failed', object: 'balance_transaction', created, amount: 2_000, currency: 'usd' });
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });

  test('of which the charge says that it is of test mode', async () => {
    const webhook = payloadOf('refund.created');
    addRefund(webhook.data.object);
    api.addExpandable({ ...charge, livemode: false, id: webhook.data.object.charge, balance_transaction: null });
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toMatchObject({ kind: 'ignored' });
  });

  test('of a customer balance: there is none', async () => {
    addRefund(payloadOf('refund.created--customer_balance').data.object);
    expect(await readRecords(api)).toEqual([]);
  });

  /** 75.00 of 125.00 was captured, and Stripe refunded the rest, of all that the balance transaction says it took. */
  async function readPartlyCaptured(moved: { amount: number; currency: string }) {
    const { object } = payloadOf('charge.refunded--partial_capture').data;
    const refund = { ...payloadOf('refund.created').data.object, amount: 5_000, currency: 'eur', charge: object.id };
    api.add('refunds', { ...refund, payment_intent: object.payment_intent, created: 1_781_687_301 });
    api.addExpandable(
      object,
      { id: object.payment_intent, object: 'payment_intent', livemode: true },
      { id: object.balance_transaction, object: 'balance_transaction', created: 1_781_687_301, ...moved },
    );
    return readRecords(api);
  }

  test('which is what was not captured: the charge says so, as charge.refunded before basil does', async () => {
    const [refund, charged, ...others] = await readPartlyCaptured({ amount: 12_500, currency: 'eur' });
    expect(others).toEqual([]);
    const webhook = payloadOf('charge.refunded--partial_capture');
    expect(interpretDelivery(charged)).toEqual(interpretPayload(webhook));
    expect(factsOf(interpretDelivery(refund))).toMatchObject([{ refund: { amountMinor: 5_000 } }]);
  });

  test.each([
    { amount: 7_500, currency: 'eur' },
    { amount: 12_500, currency: 'usd' },
  ])('of what was captured, of a charge that was captured in part: nothing else is said (%o)', async (moved) => {
    expect(await readPartlyCaptured(moved)).toHaveLength(1);
  });
});

describe('a dispute that was read gives the facts of its event', () => {
  test.each(['charge.dispute.created', 'charge.dispute.closed--won'])('%s, when money moved last', async (fixture) => {
    const webhook = payloadOf(fixture);
    const moves = [{ created: webhook.data.object.created }, { created: webhook.created }];
    api.add('disputes', { ...webhook.data.object, balance_transactions: moves });
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });

  test.each(['closed--lost', 'closed--prevented', 'closed--warning_closed', 'created--inquiry'])(
    'charge.dispute.%s, but for the time, which is that of its opening',
    async (variant) => {
      const webhook = payloadOf(`charge.dispute.${variant}`);
      const { object } = webhook.data;
      api.add('disputes', object);
      const [delivery] = await readRecords(api);
      const expected = interpretPayload({ ...webhook, created: object.created });
      expect(interpretDelivery(delivery)).toEqual(expected);
    },
  );
});

describe('a credit note that was read gives the facts of its event', () => {
  test.each(['credit_note.created--out_of_band', 'credit_note.created--refunded_by_stripe', 'credit_note.voided'])(
    '%s',
    async (fixture) => {
      const webhook = payloadOf(fixture);
      const voidedAt = webhook.data.object.status === 'void' ? webhook.created : null;
      const created = voidedAt === null ? webhook.created : voidedAt - HOUR;
      api.add('credit_notes', { ...webhook.data.object, created, voided_at: voidedAt });
      const [delivery] = await readRecords(api);
      expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
    },
  );
});

test('a made delivery has the same key in every reading, and another one after the record has changed', async () => {
  const { object } = payloadOf('credit_note.created--out_of_band').data;
  const keyOf = async (status: string) => {
    await api.close();
    api = await openStripeApi();
    api.add('credit_notes', { ...object, status, created: 1_785_000_000 });
    return stripe.read((await readRecords(api))[0] as DeliveryRequest).deliveryKey;
  };
  const key = await keyOf('issued');
  expect(key).toMatch(/^backfill_/);
  expect(await keyOf('issued')).toBe(key);
  expect(await keyOf('void')).not.toBe(key);
});
