import { describe, expect, test } from 'vitest';
import { factsOf, interpret } from './stripe-events.ts';

describe('hints at who paid', () => {
  test('in the metadata of a charge or a payment intent belong to the payment that they name', () => {
    for (const fixture of ['charge.succeeded--guest', 'payment_intent.succeeded--manual_capture']) {
      expect(factsOf(interpret(fixture))[0]).toMatchObject({
        kind: 'payment.referenced',
        references: [expect.stringMatching(/^pi_/), expect.stringMatching(/^ch_/)],
        customer: { externalIds: [{ value: expect.stringMatching(/^user_/) }], processorCustomerId: null },
      });
    }
  });

  test('belong to the Stripe customer as well where there is one, who then keeps the e-mail address', () => {
    const [payer, identity] = factsOf(interpret('charge.succeeded--guest', { customer: 'cus_1' }));
    const customer = { externalIds: [{ value: expect.stringMatching(/^user_/) }], processorCustomerId: 'cus_1' };
    expect(payer).toMatchObject({ kind: 'payment.referenced', customer: { ...customer, email: null, name: null } });
    expect(identity).toMatchObject({ kind: 'customer.identified', customer });
  });
});

describe('a session that starts a subscription', () => {
  test('tells who pays its first invoice, if it names anybody', () => {
    expect(factsOf(interpret('checkout.session.completed--subscription'))[0]).toMatchObject({
      kind: 'payment.referenced',
      references: [expect.stringMatching(/^in_/), expect.stringMatching(/^cs_/)],
      customer: { externalIds: [{ value: 'user_1042' }], email: null, name: null },
    });
    const nameless = interpret('checkout.session.completed--subscription', { metadata: {} });
    expect(factsOf(nameless)[0]).not.toHaveProperty('customer');
  });

  test('tells the codes of its first invoice, with or without a name', () => {
    const discounts = [{ coupon: null, promotion_code: 'promo_1' }];
    for (const changes of [{ discounts }, { discounts, metadata: {} }]) {
      expect(factsOf(interpret('checkout.session.completed--subscription', changes))[0]).toMatchObject({
        kind: 'payment.referenced',
        discountCodes: ['promo_1'],
      });
    }
  });
});
