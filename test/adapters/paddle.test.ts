import { describe, expect, test } from 'vitest';
import paddle from '../../adapters/paddle/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS, loadFixtures } from './fixtures.ts';

const FIXTURES = await loadFixtures('paddle');

function bodyOf(name: string): Record<string, unknown> {
  const fixture = FIXTURES.find((candidate) => candidate.name === name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  return JSON.parse(fixture.rawBody.toString('utf8'));
}

function interpret(payload: unknown): Interpretation {
  const delivery = paddle.read({ rawBody: Buffer.from(JSON.stringify(payload)), headers: {} });
  return enforceFactLimits(paddle.interpret(delivery, {}, DEFAULT_SETTINGS));
}

function factsOf(name: string): Fact[] {
  const interpretation = interpret(bodyOf(name));
  return interpretation.kind === 'facts' ? interpretation.facts : [];
}

function withTotals(totals: Record<string, unknown>): Interpretation {
  const { data, ...rest } = bodyOf('transaction.completed--renewal') as { data: { details: { totals: object } } };
  return interpret({ ...rest, data: { ...data, details: { totals: { ...data.details.totals, ...totals } } } });
}

function adjusted(action: string, status: string): Interpretation {
  const { data, ...rest } = bodyOf('adjustment.updated--refund-approved-partial') as { data: object };
  return interpret({ ...rest, data: { ...data, action, status } });
}

describe('a transaction of Paddle', () => {
  test('is one payment for transaction.paid and transaction.completed, with one time and amount', () => {
    const [paid] = factsOf('transaction.paid--subscription-first');
    const [completed] = factsOf('transaction.completed--subscription-first');
    if (paid?.kind !== 'payment.received' || completed?.kind !== 'payment.received') throw new Error('no payments');
    expect({ ...paid, references: [], customer: null }).toEqual({ ...completed, references: [], customer: null });
    expect(completed.references).toContain(paid.invoiceId);
    expect(completed.customer.subscriptionId).not.toBeNull();
  });

  test('that was partly paid by credit is net and taxed in proportion to what was paid', () => {
    const interpretation = withTotals({
      subtotal: '10000',
      discount: '0',
      tax: '2000',
      total: '12000',
      grand_total: '3000',
    });
    expect(interpretation).toMatchObject({ facts: [{ grossMinor: 3000, netMinor: 2500, taxMinor: 500 }] });
  });

  test('of an upgrade that credits more tax than is due has no tax in what was paid', () => {
    const totals = { subtotal: '10000', discount: '0', tax: '-2000', total: '8000', grand_total: '6000' };
    expect(withTotals(totals)).toMatchObject({ facts: [{ grossMinor: 6000, netMinor: 6000, taxMinor: 0 }] });
  });

  test.each([
    ['decimal text', { grand_total: '49.00' }],
    ['exponent text', { grand_total: '1e3' }],
    ['too many digits', { grand_total: '9'.repeat(16) }],
    ['more than a sale may be', { grand_total: '1000000000001' }],
    ['a discount above the price', { discount: '4901' }],
    ['a total below the net amount', { total: '4409' }],
    ['a total below the net amount and no tax', { total: '4409', tax: null, grand_total: '4409' }],
    ['a total that its negative tax does not explain', { total: '4309', tax: '-100', grand_total: '4309' }],
    ['more to pay than the total', { grand_total: '5249' }],
  ])('with %s is unknown and never guessed', (_what, totals) => {
    expect(withTotals(totals).kind).toBe('unknown');
  });

  test('was paid when the last of its payments was captured', () => {
    const { data, ...rest } = bodyOf('transaction.completed--renewal') as { data: object };
    const payments = [
      { status: 'captured', captured_at: '2026-12-03T09:10:00Z' },
      { status: 'captured', captured_at: '2026-12-03T09:12:00Z' },
      { status: 'error', captured_at: '2026-12-03T09:13:00Z' },
    ];
    const occurredAt = Date.UTC(2026, 11, 3, 9, 12);
    expect(interpret({ ...rest, data: { ...data, payments } })).toMatchObject({ facts: [{ occurredAt }] });
  });

  test('whose lists are malformed still counts', () => {
    const { data, ...rest } = bodyOf('transaction.completed--renewal') as { data: object };
    const interpretation = interpret({ ...rest, data: { ...data, items: 'none', payments: [{ captured_at: 7 }] } });
    const occurredAt = Date.parse('2026-12-03T09:14:02Z');
    expect(interpretation).toMatchObject({ facts: [{ kind: 'payment.received', grossMinor: 5248, occurredAt }] });
  });

  test('keeps every digit of a customer id that the merchant wrote as a number', () => {
    const text = JSON.stringify(bodyOf('transaction.completed--one-time-jpy')).replace(
      '3141592653589',
      '820982911946154508',
    );
    const delivery = paddle.read({ rawBody: Buffer.from(text), headers: {} });
    expect(paddle.interpret(delivery, {}, DEFAULT_SETTINGS)).toMatchObject({
      facts: [{ customer: { externalIds: [{ value: '820982911946154508' }] } }],
    });
  });
});

describe('an adjustment of Paddle', () => {
  test.each([
    ['refund', ['noted', 'payment.refunded', 'payment.refund_undone', 'payment.refund_undone']],
    ['chargeback', ['open', 'lost', 'won', 'won']],
    ['chargeback_reverse', ['noted', 'returned', 'noted', 'returned']],
    ['chargeback_warning', ['noted', 'noted', 'noted', 'noted']],
    ['chargeback_warning_reverse', ['noted', 'noted', 'noted', 'noted']],
    ['credit', ['noted', 'noted', 'noted', 'noted']],
    ['credit_reverse', ['noted', 'noted', 'noted', 'noted']],
  ])('%s has the documented effect for its status', (action, expected) => {
    const effects = ['pending_approval', 'approved', 'rejected', 'reversed'].map((status) => {
      const interpretation = adjusted(action, status);
      const [fact] = interpretation.kind === 'facts' ? interpretation.facts : [];
      return fact?.kind === 'payment.disputed' ? fact.state : fact?.kind;
    });
    expect(effects).toEqual(expected);
  });

  test.each([
    ['settlement', 'approved'],
    ['refund', 'held'],
    ['constructor', 'toString'],
  ])('%s that is %s is unknown', (action, status) => {
    expect(adjusted(action, status)).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining(`${action} of txn_`),
    });
  });

  test('that refunds everything refunds exactly the gross of its payment, tax included', () => {
    const [payment] = factsOf('transaction.completed--renewal');
    const [refund] = factsOf('adjustment.created--refund-approved-full');
    if (payment?.kind !== 'payment.received') throw new Error('no payment');
    expect(refund).toMatchObject({ references: [payment.invoiceId], refund: { amountMinor: payment.grossMinor } });
  });

  test('that is a chargeback is a separate dispute, and its reversal takes back its own amount, whose total is negative', () => {
    const [lost] = factsOf('adjustment.created--chargeback');
    const [returned] = factsOf('adjustment.created--chargeback-reverse');
    if (lost?.kind !== 'payment.disputed' || returned?.kind !== 'payment.disputed') throw new Error('no disputes');
    expect([lost.state, returned.state]).toEqual(['lost', 'returned']);
    expect(returned.disputeId).not.toBe(lost.disputeId);
    expect(returned.references).toEqual(lost.references);
    expect(returned.amountMinor).toBe(lost.amountMinor);
  });

  test.each([
    ['chargeback', 'rejected', 'won'],
    ['chargeback_reverse', 'reversed', 'returned'],
  ])('a %s that was %s has no effect in the end', (action, status, state) => {
    expect(adjusted(action, status)).toMatchObject({ facts: [{ state, amountMinor: 0 }] });
  });

  test('that refunds only the tax takes nothing from the commission', () => {
    expect(factsOf('adjustment.created--refund-tax-alone')).toMatchObject([
      { refund: { amountMinor: 838, commissionableMinor: 0 } },
    ]);
  });

  test('of nothing is noted', () => {
    const { data, ...rest } = bodyOf('adjustment.created--refund-approved-full') as { data: object };
    expect(interpret({ ...rest, data: { ...data, totals: { total: '0' } } })).toMatchObject({
      facts: [{ kind: 'noted', what: expect.stringContaining('refund of txn_') }],
    });
  });

  test('without a subtotal says nothing about its part of the commission', () => {
    const { data, ...rest } = bodyOf('adjustment.created--refund-approved-full') as { data: object };
    const refund = { refundId: expect.any(String), amountMinor: 500 };
    expect(interpret({ ...rest, data: { ...data, totals: { total: '500' } } })).toMatchObject({ facts: [{ refund }] });
    expect(JSON.stringify(interpret({ ...rest, data: { ...data, totals: { total: '500' } } }))).not.toContain(
      'commissionable',
    );
  });
});
