import { describe, expect, test } from 'vitest';
import polar from '../../adapters/polar/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS, loadFixtures } from './fixtures.ts';

const FIXTURES = await loadFixtures('polar');

function bodyOf(name: string): Record<string, unknown> {
  const fixture = FIXTURES.find((candidate) => candidate.name === name);
  if (!fixture) throw new Error(`no fixture ${name}`);
  return JSON.parse(fixture.rawBody.toString('utf8'));
}

function interpret(payload: unknown): Interpretation {
  const delivery = polar.read({ rawBody: Buffer.from(JSON.stringify(payload)), headers: {} });
  return enforceFactLimits(polar.interpret(delivery, {}, DEFAULT_SETTINGS));
}

function changed(name: string, members: Record<string, unknown>): Interpretation {
  const { data, ...rest } = bodyOf(name) as { data: object };
  return interpret({ ...rest, data: { ...data, ...members } });
}

function firstFactOf(name: string): Fact | undefined {
  const interpretation = interpret(bodyOf(name));
  return interpretation.kind === 'facts' ? interpretation.facts[0] : undefined;
}

describe('an order of Polar', () => {
  test('is a sale only through order.paid, whatever the status of the other events', () => {
    const counted = ['order.created--already-paid', 'order.updated', 'order.paid--renewal'].map((name) => {
      const interpretation = interpret(bodyOf(name));
      return interpretation.kind === 'facts' && interpretation.facts.some(({ kind }) => kind === 'payment.received');
    });
    expect(counted).toEqual([false, false, true]);
  });

  test.each([
    [0, { grossMinor: 3509, netMinor: 2900, taxMinor: 609 }],
    [-509, { grossMinor: 3000, netMinor: 2479, taxMinor: 521 }],
    [-3508, { grossMinor: 1, netMinor: 1, taxMinor: 0 }],
    // the debt of an order that was counted although it was too small to be charged
    [91, { grossMinor: 3509, netMinor: 2900, taxMinor: 609 }],
    [undefined, { grossMinor: 3509, netMinor: 2900, taxMinor: 609 }],
    [null, { grossMinor: 3509, netMinor: 2900, taxMinor: 609 }],
  ])('with %s of the balance applied is net and taxed in proportion to what was paid for it', (applied, amounts) => {
    const interpretation = changed('order.paid--renewal', { applied_balance_amount: applied });
    expect(interpretation).toMatchObject({ facts: [amounts] });
  });

  test.each([
    ['jpy', 3509],
    ['clp', 3509],
    ['isk', 35],
    ['ugx', 35],
    ['mga', 350_900],
    ['kwd', 35_090],
    ['huf', 3509],
    ['usd', 3509],
  ])('in %s is converted to the minor units of ISO 4217', (currency, grossMinor) => {
    expect(changed('order.paid--renewal', { currency })).toMatchObject({ facts: [{ currency, grossMinor }] });
    expect(changed('order.refunded--full', { currency })).toMatchObject({
      facts: [{ refund: { cumulativeAmountMinor: grossMinor } }],
    });
  });

  test.each([
    [{ reference_id: 'clk_7Qm2' }, [{ value: 'clk_7Qm2', place: 'order.metadata.reference_id' }]],
    [{ reference_id: 'campaign-7' }, []],
    [{ reference_id: 'campaign-clk_7' }, []],
  ])('of a checkout link names the click in %o', (metadata, clickIds) => {
    const subscription = { metadata };
    for (const customer of [null, { external_id: null, email: 'priya.nair@example.com' }]) {
      expect(changed('order.paid--renewal', { metadata, subscription, customer })).toMatchObject({
        facts: [{ customer: { externalIds: [], clickIds } }],
      });
    }
  });

  test.each([
    ['whom Polar had before', '2026-11-03T08:00:00.000000Z', ['clk_7Qm2']],
    ['who came with the checkout', '2026-11-04T08:20:11.304512Z', ['clk_7Qm2', 'clk_9Rt4']],
  ])(
    'of a checkout link, for a customer %s, names the clicks of the merchant alone or both',
    (_who, createdAt, clicks) => {
      const metadata = { svc_id: 'clk_7Qm2', reference_id: 'clk_9Rt4' };
      const at = '2026-11-04T08:21:40.118203Z';
      const customer = { created_at: createdAt, external_id: 'user_4711', email: 'priya.nair@example.com' };
      for (const parts of [{ subscription: { created_at: at, metadata } }, { subscription: null, created_at: at }]) {
        const clickIds = clicks.map((value) => expect.objectContaining({ value }));
        expect(changed('order.paid--renewal', { metadata, customer, ...parts })).toMatchObject({
          facts: [{ customer: { clickIds } }],
        });
      }
    },
  );

  test('of less than nothing, as for a downgrade, is noted and identifies its customer', () => {
    const credit = { billing_reason: 'subscription_update', net_amount: -1000, tax_amount: -190, total_amount: -1190 };
    for (const balance of [0, 500, 1190, 2000]) {
      expect(changed('order.paid--renewal', { ...credit, applied_balance_amount: balance })).toMatchObject({
        facts: [{ customer: { externalIds: [{ value: 'user_4711' }] } }, { kind: 'noted' }],
      });
    }
  });

  test.each([
    ['a credit above its total', { net_amount: -1191, total_amount: -1190 }],
    ['a credit in all for something sold', { net_amount: 1, total_amount: -1190 }],
    ['a fraction', { total_amount: 35.09 }],
    ['a negative net amount', { net_amount: -1 }],
    ['a net amount above the total', { net_amount: 3510 }],
    ['more than a sale may be', { total_amount: 1_000_000_000_001 }],
    ['more than a sale may be once counted as ISO 4217 does', { currency: 'mga', total_amount: 10_000_000_001 }],
    ['a status that nobody described', { status: 'settled' }],
  ])('with %s is unknown and never guessed', (_what, members) => {
    expect(changed('order.paid--renewal', members).kind).toBe('unknown');
  });

  test('whose customer, subscription and discount are malformed still counts', () => {
    const odd = { customer: 'gone', subscription: 7, discount: [], metadata: null };
    expect(changed('order.paid--renewal', odd)).toMatchObject({
      facts: [{ kind: 'payment.received', grossMinor: 3509 }],
    });
  });
});

describe('an event of Polar without a timestamp', () => {
  const timeless = { ...bodyOf('order.paid--renewal'), timestamp: undefined };
  const delivery = polar.read({ rawBody: Buffer.from(JSON.stringify(timeless)), headers: {} });

  test('occurred when it was sent, which is signed, too', () => {
    const interpretation = polar.interpret(delivery, { 'webhook-timestamp': '1790000000' }, DEFAULT_SETTINGS);
    expect(interpretation).toMatchObject({ facts: [{ kind: 'payment.received', occurredAt: 1_790_000_000_000 }] });
  });

  test.each([{}, { 'webhook-timestamp': 'soon' }])('is unknown if nothing says when it was sent: %j', (headers) => {
    const reason = 'The body has an unexpected form: timestamp: must be an ISO 8601 time';
    expect(polar.interpret(delivery, headers, DEFAULT_SETTINGS)).toEqual({ kind: 'unknown', reason });
  });
});

describe('a refund of Polar', () => {
  test.each([
    ['partial', 'order.refunded--partial', 'refund.updated--succeeded'],
    ['full', 'order.refunded--full', 'refund.created--full'],
  ])('has the same %s amount by its order and by its id, tax included', (_what, order, refund) => {
    const [cumulative, single] = [firstFactOf(order), firstFactOf(refund)];
    if (cumulative?.kind !== 'payment.refunded' || !('cumulativeAmountMinor' in cumulative.refund))
      throw new Error(order);
    if (single?.kind !== 'payment.refunded' || !('refundId' in single.refund)) throw new Error(refund);
    expect(single.refund.amountMinor).toBe(cumulative.refund.cumulativeAmountMinor);
    expect(single.references).toEqual(cumulative.references);
  });

  test('in full is exactly the gross of its order, even when the balance paid a part', () => {
    for (const [order, refund] of [
      ['order.paid--renewal', 'refund.created--full'],
      ['order.paid--upgrade-part-balance', 'refund.created--dispute-prevention'],
    ] as const) {
      const payment = firstFactOf(order);
      if (payment?.kind !== 'payment.received') throw new Error(order);
      expect(firstFactOf(refund)).toMatchObject({
        references: [payment.invoiceId],
        refund: { amountMinor: payment.grossMinor },
      });
    }
  });

  test.each([
    ['succeeded', 'payment.refunded'],
    ['pending', 'noted'],
    ['failed', 'payment.refund_undone'],
    ['canceled', 'payment.refund_undone'],
  ])('that is %s is %s', (status, kind) => {
    expect(changed('refund.updated--succeeded', { status })).toMatchObject({ facts: [{ kind }] });
  });

  test('of nothing is noted, by its order and by its id', () => {
    const nothing = [
      changed('order.refunded--full', { refunded_amount: 0, refunded_tax_amount: 0 }),
      changed('refund.updated--succeeded', { amount: 0, tax_amount: 0 }),
    ];
    for (const interpretation of nothing) expect(interpretation).toMatchObject({ facts: [{ kind: 'noted' }] });
  });

  test('that settles a dispute counts once, as a refund, and the dispute is noted', () => {
    const interpretation = interpret(bodyOf('refund.updated--dispute'));
    const kinds = interpretation.kind === 'facts' ? interpretation.facts.map(({ kind }) => kind) : [];
    expect(kinds).toEqual(['payment.refunded', 'noted']);
  });
});

test('a customer of Polar is identified by every event about it', () => {
  const { data, ...rest } = bodyOf('customer.created');
  const created = interpret({ ...rest, data });
  expect(created).toMatchObject({ facts: [{ kind: 'customer.identified' }] });
  for (const type of ['customer.updated', 'customer.state_changed']) {
    expect(interpret({ ...rest, type, data })).toEqual(created);
  }
});

test.each([
  ['subscription.active', null],
  ['subscription.canceled', 'was canceled'],
  ['subscription.created', null],
  ['subscription.cycled', null],
  ['subscription.migrated', null],
  ['subscription.past_due', 'is past due'],
  ['subscription.paused', 'was paused'],
  ['subscription.resumed', 'was resumed'],
  ['subscription.revoked', 'has ended'],
  ['subscription.uncanceled', 'is no longer canceled'],
  ['subscription.updated', null],
])('%s of Polar identifies its customer, and is noted: %s', (type, what) => {
  const noted = what === null ? [] : [{ kind: 'noted', what: expect.stringContaining(what) }];
  expect(interpret({ ...bodyOf('subscription.created'), type })).toMatchObject({
    facts: [{ kind: 'customer.identified' }, ...noted],
  });
});

test.each(['paid', 'partially_refunded', 'refunded'])(
  'an order of Polar that is %s when it is reported counts',
  (status) => {
    expect(changed('order.paid--renewal', { status })).toMatchObject({ facts: [{ kind: 'payment.received' }] });
  },
);
