import { describe, expect, test } from 'vitest';
import { factsOf, interpret } from './stripe-events.ts';

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
