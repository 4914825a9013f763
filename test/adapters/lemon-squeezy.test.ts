import { describe, expect, test } from 'vitest';
import lemonSqueezy from '../../adapters/lemon-squeezy/index.ts';
import { isInMinorUnits } from '../../adapters/lemon-squeezy/money.ts';
import { orderIdentifierIn } from '../../adapters/lemon-squeezy/references.ts';
import { applyOverrides, parseOverride } from '../../src/cli/replay/overrides.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import { loadFixtures } from './fixtures.ts';

const FIXTURES = await loadFixtures('lemon-squeezy');

function bodyOf(name: string, ...overrides: string[]): Buffer {
  const fixture = FIXTURES.find((candidate) => candidate.name === name);
  if (fixture === undefined) throw new Error(`No fixture ${name}`);
  const parsed = overrides.flatMap((text) => parseOverride(text) ?? []);
  return applyOverrides(fixture.rawBody, parsed, { n: 1, round: 1, run: '' }, name);
}

const readOf = (rawBody: Buffer) => lemonSqueezy.read({ rawBody, headers: {} });
const interpreted = (name: string, ...overrides: string[]) =>
  enforceFactLimits(lemonSqueezy.interpret(readOf(bodyOf(name, ...overrides)), {}, { acceptTestEvents: false }));

describe('a delivery of Lemon Squeezy', () => {
  test('is signed with the HMAC-SHA256 of its body alone, in hexadecimal', async () => {
    const rawBody = Buffer.from('{"meta":{"event_name":"order_created"}}');
    // printf '{"meta":{"event_name":"order_created"}}' | openssl dgst -sha256 -hmac lemonade
    const signature = '6ec62f8daee4089db6a364992739adf9fbc882558bcf47c4033ecea66b46a009';
    const headers = { 'x-signature': signature };
    await expect(lemonSqueezy.verify({ rawBody, headers }, { secrets: ['lemonade'] }, 0)).resolves.toBeUndefined();
    expect(lemonSqueezy.sign(rawBody, { secrets: ['lemonade'] }, 0)).toMatchObject(headers);
  });

  test.each([
    ['in upper case', (hex: string) => hex.toUpperCase()],
    ['that is cut off', (hex: string) => hex.slice(0, 62)],
    ['that is empty', () => ''],
    ['with a blank', (hex: string) => `${hex} `],
  ])('with a signature %s is refused', async (_what, change) => {
    const rawBody = bodyOf('order_created--one-time-discount');
    const { 'x-signature': signature = '' } = lemonSqueezy.sign(rawBody, { secrets: ['lemonade'] }, 0);
    const headers = { 'x-signature': change(signature) };
    await expect(lemonSqueezy.verify({ rawBody, headers }, { secrets: ['lemonade'] }, 0)).rejects.toThrow(
      'X-Signature',
    );
  });

  test('is a different one after another change of its object, or another refund in the same second', () => {
    const keyOf = (...overrides: string[]) => readOf(bodyOf('order_refunded--partial', ...overrides)).deliveryKey;
    const keys = [
      keyOf(),
      keyOf('data.attributes.updated_at=2026-10-13T09:00:01.000000Z'),
      keyOf('data.attributes.refunded_amount=2500'),
      keyOf('meta.event_name=order_created'),
      keyOf('data.id=70113'),
      keyOf('data.type=subscription-invoices'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(keyOf('meta.webhook_id=2c9f6a1e-0000-4000-8000-000000000001')).toBe(keyOf());
  });

  test.each(['data.attributes.updated_at', 'data.id', 'meta.event_name'])('without %s has no key', (member) => {
    expect(readOf(bodyOf('order_created--one-time-discount', `${member}=null`)).deliveryKey).toBeNull();
  });

  test.each([
    ['the delivery', 'meta.test_mode=true'],
    ['the object', 'data.attributes.test_mode=true'],
  ])('is in test mode when %s says so', (_what, override) => {
    for (const name of [
      'order_created--one-time-discount',
      'subscription_payment_success--renewal',
      'subscription_updated',
    ])
      expect([name, interpreted(name, override).kind]).toEqual([name, 'ignored']);
  });
});

describe('an order of Lemon Squeezy', () => {
  test.each(['partial_refund', 'refunded'])('that is %s when it is reported counts in full', (status) => {
    expect(interpreted('order_created--one-time-discount', `data.attributes.status=${status}`)).toMatchObject({
      facts: [{ kind: 'payment.received', grossMinor: 4410 }],
    });
  });

  test('whose customer is malformed still counts', () => {
    const odd = ['data.attributes.customer_id={}', 'data.attributes.user_email=7', 'meta.custom_data=[]'];
    expect(interpreted('order_created--one-time-discount', ...odd)).toMatchObject({
      facts: [{ kind: 'payment.received', customer: { processorCustomerId: null, email: null, externalIds: [] } }],
    });
  });
});

test.each(['pending', 'failed', 'fraudulent'])('an order of Lemon Squeezy that is %s is no sale', (status) => {
  const result = interpreted('order_created--one-time-discount', `data.attributes.status=${status}`);
  const kinds = result.kind === 'facts' ? result.facts.map(({ kind }) => kind) : [];
  expect(kinds).toEqual(['customer.identified', 'noted']);
});

test.each([
  ['subscription_plan_changed', 'changed its plan'],
  ['subscription_cancelled', 'was cancelled'],
  ['subscription_resumed', 'was resumed'],
  ['subscription_expired', 'has ended'],
  ['subscription_paused', 'was paused'],
  ['subscription_unpaused', 'is no longer paused'],
])('%s of Lemon Squeezy is noted: it %s', (event, what) => {
  expect(interpreted('subscription_updated', `meta.event_name=${event}`)).toMatchObject({
    facts: expect.arrayContaining([{ kind: 'noted', what: expect.stringContaining(what) }]),
  });
});

describe('a refund of Lemon Squeezy', () => {
  const refundOf = (...overrides: string[]) =>
    interpreted('order_refunded--partial', ...overrides.map((override) => `data.attributes.${override}`));

  test('of nothing is noted', () => {
    expect(refundOf('refunded_amount=0', 'status=paid')).toMatchObject({
      kind: 'facts',
      facts: [{ kind: 'noted', what: expect.stringMatching(/^nothing of order/) }],
    });
  });

  test('of a part is that part, even if the order is marked as refunded', () => {
    for (const marks of [['refunded=true'], ['status=refunded'], ['refunded=true', 'status=refunded']]) {
      expect(refundOf(...marks)).toMatchObject({ facts: [{ refund: { cumulativeAmountMinor: 2000 } }] });
    }
  });

  test.each(['refunded=true', 'status=refunded'])('without an amount is all of it when the order says %s', (mark) => {
    for (const amount of ['refunded_amount=null', 'refunded_amount=0']) {
      expect(refundOf(amount, mark)).toMatchObject({ facts: [{ refund: { cumulativeAmountMinor: 4410 } }] });
    }
  });

  test('was made when the order says so, otherwise when it changed', () => {
    const refundedAt = 'refunded_at=2026-10-12T07:30:00.000000Z';
    expect(refundOf(refundedAt)).toMatchObject({ facts: [{ occurredAt: Date.UTC(2026, 9, 12, 7, 30) }] });
    expect(refundOf()).toMatchObject({ facts: [{ occurredAt: Date.UTC(2026, 9, 13, 9) }] });
  });

  test('whose amount may be in hundredths of a currency without decimals is not counted by a guess', () => {
    expect(refundOf('currency=JPY', 'total_formatted="¥44.10"').kind).toBe('unknown');
    expect(refundOf('currency=JPY', 'total_formatted="¥4,410"').kind).toBe('facts');
  });
});

describe('an invoice of Lemon Squeezy', () => {
  test.each(['partial_refund', 'refunded'])('that is %s when it is reported counts in full', (status) => {
    expect(interpreted('subscription_payment_success--renewal', `data.attributes.status=${status}`)).toMatchObject({
      facts: [{ kind: 'payment.received', grossMinor: 3451 }],
    });
  });

  test.each([
    ['with a status that nobody described', 'status=settled'],
    ['whose amount may be in hundredths of a currency without decimals', 'currency=JPY'],
  ])('%s is not counted by a guess', (_what, override) => {
    expect(interpreted('subscription_payment_success--renewal', `data.attributes.${override}`).kind).toBe('unknown');
  });

  test('that begins a subscription is matched by the subscription alone when its link names no order', () => {
    const url = 'data.attributes.urls={"invoice_url":null}';
    expect(interpreted('subscription_payment_success--initial', url)).toMatchObject({
      facts: [
        { kind: 'payment.referenced', references: ['subscription-invoices:51200', 'subscriptions:88120:initial'] },
        { kind: 'customer.identified' },
        { kind: 'noted' },
      ],
    });
  });

  test.each([
    ['https://app.lemonsqueezy.com/my-orders/6f2c1d8e-94b7-4a05-8c3e-17d5b2a960f4/subscription-invoice/1?x=1', true],
    ['https://app.lemonsqueezy.com/my-orders/.../subscription-invoice/...', false],
    ['https://app.lemonsqueezy.com/my-orders/../../6f2c1d8e', false],
    ['', false],
    [null, false],
  ])('names the order in %s: %s', (url, isNamed) => {
    expect(orderIdentifierIn(url)).toBe(isNamed ? '6f2c1d8e-94b7-4a05-8c3e-17d5b2a960f4' : null);
  });
});

describe('an amount of Lemon Squeezy', () => {
  test.each<[number, string | null, string, boolean]>([
    [1999, '$19.99', 'usd', true],
    [1999, null, 'usd', true],
    [123_456, 'HUF 1,235', 'huf', true],
    [1500, '¥1,500', 'jpy', true],
    [150_000, '¥1,500', 'jpy', false],
    [150_000, '¥1,500.00', 'jpy', false],
    [1500, null, 'jpy', false],
    [12_345, 'TND12.345', 'tnd', true],
    [1234, 'TND12.34', 'tnd', false],
    [1_234_567, 'KWD 1,234.567', 'kwd', true],
    [1500, 'about 1,500 or 1,600', 'jpy', false],
    [0, '', 'jpy', false],
  ])('%i beside %j in %s is in minor units: %s', (amount, formatted, currency, expected) => {
    expect(isInMinorUnits(amount, formatted, currency)).toBe(expected);
  });
});
