import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_CHARGE } from '../../src/core/refunded.ts';
import { factsOf, firstKind, interpret } from './stripe-events.ts';

describe('invoices', () => {
  test.each([
    ['subscription_create', false],
    ['subscription_cycle', true],
    ['subscription_update', true],
    ['subscription_threshold', true],
    ['quote_accept', false],
    ['manual', true],
  ])('%s of a subscription is recurring: %s', (billing_reason, recurring) => {
    expect(interpret('invoice.paid--renewal', { billing_reason })).toHaveProperty('facts.0.recurring', recurring);
  });

  test('an invoice without a subscription is not recurring', () => {
    expect(interpret('invoice.paid--manual_shipping')).toHaveProperty('facts.0.recurring', false);
  });

  test('both shapes of an invoice, before and since 2025-03-31.basil, mean the same money of the same person', () => {
    const shared = { id: 'in_same', customer: 'cus_same', amount_paid: 12100, total: 12100, currency: 'eur' };
    const [before] = factsOf(interpret('invoice.paid--before_basil', { ...shared, subscription: 'sub_same' }));
    const parent = {
      subscription_details: { metadata: { svcCustomerExternalId: 'user_3005' }, subscription: 'sub_same' },
    };
    const taxes = { total_excluding_tax: 10000, total_taxes: [{ amount: 2100 }] };
    const [since] = factsOf(interpret('invoice.paid--renewal', { ...shared, ...taxes, parent }));
    for (const member of ['invoiceId', 'grossMinor', 'netMinor', 'taxMinor', 'currency', 'recurring'] as const) {
      expect(since).toHaveProperty(member, before && member in before ? Reflect.get(before, member) : undefined);
    }
    expect(since).toHaveProperty('customer.subscriptionId', 'sub_same');
    expect(before).toHaveProperty('customer.subscriptionId', 'sub_same');
    expect(since).toHaveProperty('customer.externalIds.0.value', 'user_3005');
    expect(before).toHaveProperty('customer.externalIds.0.value', 'user_3005');
  });

  test('the tax is found in the member that the version uses', () => {
    const base = {
      total: 12100,
      amount_paid: 12100,
      total_excluding_tax: null,
      total_taxes: null,
      total_tax_amounts: null,
    };
    for (const tax of [
      { total_excluding_tax: 10000 },
      { total_taxes: [{ amount: 1000 }, { amount: 1100 }] },
      { total_tax_amounts: [{ amount: 2100 }] },
      { total_taxes: [], total_tax_amounts: [{ amount: 2100 }] },
      { tax: 2100 },
    ]) {
      expect(interpret('invoice.paid--renewal', { ...base, ...tax })).toHaveProperty('facts.0.netMinor', 10000);
    }
    expect(interpret('invoice.paid--renewal', base)).toHaveProperty('facts.0.netMinor', 12100);
  });

  test('a credit of more tax than is due makes no part of what was paid tax', () => {
    const taxes = { total_excluding_tax: 10_000, total_taxes: [{ amount: -2_000 }] };
    const interpretation = interpret('invoice.paid--renewal', { amount_paid: 8_000, total: 8_000, ...taxes });
    expect(interpretation).toHaveProperty('facts.0.netMinor', 8_000);
    expect(interpretation).toHaveProperty('facts.0.taxMinor', 0);
  });

  test.each([
    ['all of it', 0, 12_100],
    ['what remained', 2_100, 10_000],
    ['all of it, counted as paid', 12_100, 0],
  ])('an invoice is paid outside of Stripe before 2025-03-31.basil: %s', (_what, amount_paid, amount_remaining) => {
    const changes = { amount_paid, amount_remaining, charge: null, payment_intent: null };
    const interpretation = interpret('invoice.paid--before_basil', { ...changes, paid_out_of_band: true });
    expect(interpretation).toHaveProperty('facts.0.grossMinor', 12_100);
    expect(interpretation).toHaveProperty('facts.0.netMinor', 10_000);
    const unpaid = interpret('invoice.paid--before_basil', { ...changes, amount_paid: 0, paid_out_of_band: false });
    expect(firstKind(unpaid)).toBe('customer.identified');
  });

  test.each([null, []])('the tax of an invoice from 2019 counts where its tax amounts are %j', (total_tax_amounts) => {
    const taxes = { total_excluding_tax: null, total_tax_amounts, tax: 2_100, tax_percent: 21 };
    const interpretation = interpret('invoice.paid--before_basil', taxes);
    expect(interpretation).toMatchObject({ facts: [{ grossMinor: 12_100, netMinor: 10_000, taxMinor: 2_100 }] });
  });

  test('what a credit balance covered does not count: net, tax and shipping are in proportion to what was paid', () => {
    const half = { amount_paid: 5000, total: 10000, total_excluding_tax: 8000, total_taxes: null };
    const shipping_cost = { amount_subtotal: 1000, amount_tax: 250, amount_total: 1250 };
    expect(interpret('invoice.paid--renewal', { ...half, shipping_cost })).toHaveProperty('facts.0', {
      ...factsOf(interpret('invoice.paid--renewal'))[0],
      grossMinor: 5000,
      netMinor: 3500,
      taxMinor: 1000,
      shippingMinor: 500,
    });
  });

  test.each([
    ['leaves out', 10_000, 10_000],
    ['contains', 13_000, 13_000],
  ])('an overpaid invoice counts with what is said to be paid, if that %s what was overpaid', (_how, paid, gross) => {
    const overpaid = { amount_overpaid: 3_000, amount_paid: paid, total: 10_000, total_excluding_tax: 8_000 };
    const interpretation = interpret('invoice.paid--renewal', overpaid);
    expect(interpretation).toHaveProperty('facts.0.grossMinor', gross);
    expect(interpretation).toHaveProperty('facts.0.netMinor', gross * 0.8);
    // the 30.00 of credit pay for a part of the next one
    const next = { amount_due: 7_000, amount_paid: 7_000, total: 10_000, total_excluding_tax: 8_000 };
    expect(interpret('invoice.paid--renewal', next)).toHaveProperty('facts.0.grossMinor', 7_000);
  });

  test.each([
    [0, 500],
    [-200, 700],
  ])('a total of %i that is paid because %i was owed before sells nothing', (total, starting_balance) => {
    const debt = { amount_paid: 500, total, starting_balance, total_excluding_tax: total, total_taxes: [] };
    const interpretation = interpret('invoice.paid--renewal', debt);
    expect(factsOf(interpretation).map(({ kind }) => kind)).toEqual(['customer.identified', 'noted']);
    expect(interpretation).toHaveProperty('facts.1.what', expect.stringContaining('settles an earlier balance'));
    for (const starting_balance of [null, 0, 499 - total]) {
      expect(interpret('invoice.paid--renewal', { ...debt, starting_balance }).kind).toBe('unknown');
    }
  });

  test('net is never above what was paid, whatever the parts', () => {
    const whole = fc.integer({ min: 1, max: 10 ** 9 });
    fc.assert(
      fc.property(whole, whole, fc.double({ min: 0, max: 1, noNaN: true }), (amount_paid, total, share) => {
        const total_excluding_tax = Math.floor(total * share);
        const [fact] = factsOf(interpret('invoice.paid--renewal', { amount_paid, total, total_excluding_tax }));
        expect(fact?.kind).toBe('payment.received');
        if (fact?.kind === 'payment.received') expect(fact.netMinor).toBeLessThanOrEqual(fact.grossMinor);
      }),
    );
  });
});

describe('currencies', () => {
  test.each([
    ['usd', 1999, 1999],
    ['EUR', 1999, 1999],
    ['jpy', 1999, 1999],
    ['kwd', 19990, 19990],
    ['huf', 199900, 199900],
    ['isk', 199900, 1999],
    ['ugx', 199900, 1999],
    ['mga', 1999, 199900],
  ])('%s %i of Stripe is %i in ISO 4217 minor units', (currency, amount_refunded, expected) => {
    const interpretation = interpret('charge.refunded--partial', { currency, amount_refunded });
    expect(interpretation).toHaveProperty('facts.0.refund.cumulativeAmountMinor', expected);
    expect(interpretation).toHaveProperty('facts.0.currency', currency.toLowerCase());
  });

  test.each([
    ['isk', 1050],
    ['xyz', 100],
    ['', 100],
    ['usd', -1],
    ['usd', 10.5],
    ['usd', 2 ** 53],
    ['usd', 10 ** 12 + 1],
    ['mga', 10 ** 11],
  ])('%s %d is never guessed', (currency, amount_refunded) => {
    expect(interpret('charge.refunded--partial', { currency, amount_refunded }).kind).toBe('unknown');
  });
});

describe('a credit note', () => {
  test('refunds what was paid back outside of Stripe, until it is voided', () => {
    const chargeId = NO_CHARGE;
    expect(interpret('credit_note.created--out_of_band')).toMatchObject({
      facts: [{ kind: 'payment.refunded', refund: { refundId: 'cn_1TozAuroraMaraCash', amountMinor: 2000, chargeId } }],
    });
    expect(interpret('credit_note.voided')).toMatchObject({ facts: [{ kind: 'payment.refund_undone', chargeId }] });
    expect(firstKind(interpret('credit_note.created--out_of_band', { out_of_band_amount: 0 }))).toBe('ignored');
    expect(firstKind(interpret('credit_note.created--out_of_band', { invoice: null }))).toBe('unknown');
    expect(firstKind(interpret('credit_note.created--out_of_band', { status: 'torn' }))).toBe('unknown');
  });

  test('refunds what another processor paid back, which is not in its out-of-band amount', () => {
    const refunds = [
      { type: 'payment_record_refund', amount_refunded: 1500, payment_record_refund: { payment_record: 'pr_1' } },
      { type: 'payment_record_refund', amount_refunded: 600, refund: 're_1' },
      { type: 'refund', amount_refunded: 700, refund: 're_2' },
    ];
    for (const [out_of_band_amount, amountMinor] of [
      [null, 1500],
      [500, 2000],
    ]) {
      const changes = { out_of_band_amount, refunds };
      expect(factsOf(interpret('credit_note.created--out_of_band', changes))).toMatchObject([
        { kind: 'payment.refunded', refund: { amountMinor } },
      ]);
    }
    expect(firstKind(interpret('credit_note.created--out_of_band', { refunds: [{}] }))).toBe('unknown');
  });
});
