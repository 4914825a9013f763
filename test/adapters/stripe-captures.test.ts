import { describe, expect, test } from 'vitest';
import { factsOf, interpret, interpretPayload, payloadOf } from './stripe-events.ts';

describe('a payment that is captured later', () => {
  const kinds = (...of: Parameters<typeof interpret>) => factsOf(interpret(...of)).map(({ kind }) => kind);

  test('is announced by its unpaid session, with the amounts that it will have', () => {
    const announced = {
      kind: 'payment.announced',
      invoiceId: 'pi_3TdAuroraJunoHold',
      grossMinor: 12_500,
      netMinor: 10_000,
    };
    expect(factsOf(interpret('checkout.session.completed--manual_capture'))[0]).toMatchObject(announced);
  });

  test.each([
    ['manual', {}, true],
    [null, {}, true],
    ['automatic', {}, false],
    ['automatic_async', null, false],
    ['automatic_async', { card: { capture_method: 'manual' }, link: {} }, true],
    ['automatic_async', { link: null, card: { capture_method: 'automatic' } }, false],
    ['manual', 'odd', true],
  ])(
    'with the capture method %s, and options %j of its payment methods, is captured by its payment intent: %s',
    (...is) => {
      const [capture_method, payment_method_options, expected] = is;
      const facts = kinds('payment_intent.succeeded--manual_capture', { capture_method, payment_method_options });
      expect(facts.includes('payment.captured')).toBe(expected);
    },
  );

  test('is not captured by an intent that received nothing, or that names the invoice that counts it', () => {
    for (const changes of [{ amount_received: 0 }, { invoice: 'in_1' }]) {
      expect(kinds('payment_intent.succeeded--manual_capture', changes)).not.toContain('payment.captured');
    }
  });

  test('is a bare sale on an endpoint that counts payment intents', () => {
    const settings = { acceptTestEvents: false, countPaymentIntents: true };
    expect(interpret('payment_intent.succeeded--manual_capture', {}, settings)).toMatchObject({
      facts: [{ kind: 'payment.received', grossMinor: 7500, isBare: true }],
    });
  });
});

describe('a charge of which only a part was captured', () => {
  const refunded = (api_version: string | null, amount_refunded: number, changes: object = {}) => {
    const payload = payloadOf('charge.refunded--partial');
    const charge = { ...payload.data.object, amount: 10_000, amount_captured: 7_000, amount_refunded, ...changes };
    return interpretPayload({ ...payload, api_version, data: { object: charge } });
  };
  const refundOf = (interpretation: ReturnType<typeof interpret>) => {
    const [fact] = factsOf(interpretation);
    if (fact?.kind !== 'payment.refunded' || 'refundId' in fact.refund) throw new Error('No cumulative refund');
    return [fact.refund.cumulativeAmountMinor, fact.refund.releasedMinor];
  };

  test.each([
    ['2023-10-16', 3_000, [0, 3_000]],
    ['2023-10-16', 4_000, [1_000, 3_000]],
    ['2025-02-24.acacia', 10_000, [7_000, 3_000]],
    // captured by a request of a later version: what was released would be more than this
    ['2023-10-16', 2_000, [2_000, undefined]],
    ['2025-03-31.basil', 3_000, [3_000, undefined]],
    ['2025-03-31.basil', 7_000, [7_000, undefined]],
    // captured by a request of an earlier version: no more than the captured part can be refunded
    ['2025-03-31.basil', 8_000, [5_000, 3_000]],
    [null, 3_000, [3_000, undefined]],
  ])('in version %s with %i refunded: refunded and released are %j', (version, amount, expected) => {
    expect(refundOf(refunded(version, amount))).toEqual(expected);
  });

  test.each([{ amount: null }, { amount_captured: null }, { amount_captured: 0 }, { amount_captured: 10_000 }])(
    'is not one where the amounts do not say so: %j',
    (changes) => {
      expect(refundOf(refunded('2023-10-16', 4_000, changes))).toEqual([4_000, undefined]);
    },
  );

  // whoever reported it as sold before its capture must hear that nothing is paid
  test.each(['2023-10-16', '2025-03-31.basil'])(
    'is not one where all of it was released in version %s, which counts as a refund',
    (version) => {
      const released = refunded(version, 10_000, { amount_captured: 0 });
      expect(refundOf(released)).toEqual([10_000, undefined]);
      expect(factsOf(released).map(({ kind }) => kind)).not.toContain('noted');
    },
  );

  test('whose rest was released says that nothing was refunded', () => {
    const kinds = factsOf(refunded('2023-10-16', 3_000)).map(({ kind }) => kind);
    expect(kinds).toEqual(['payment.refunded', 'customer.identified', 'noted']);
  });
});
