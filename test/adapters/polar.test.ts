import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import polar from '../../adapters/polar/index.ts';
import { enforceFactLimits } from '../../src/core/fact-limits.ts';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS, loadFixtures } from './fixtures.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const SECRET = 'polar_whs_of_this_endpoint';
const BODY = Buffer.from('{"type":"order.paid","note":"Größe 5"}');
const FIXTURES = await loadFixtures('polar');

function endpoint(...secrets: string[]) {
  return { secrets, authorization: null, shopDomain: null };
}

function signed(secret = SECRET, now = NOW, rawBody = BODY): Record<string, string> {
  return polar.sign(rawBody, endpoint(secret), now);
}

function verify(headers: IncomingHttpHeaders, secrets = [SECRET], rawBody = BODY): Promise<void> {
  return polar.verify({ rawBody, headers }, endpoint(...secrets), NOW);
}

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

describe('a signature of Polar', () => {
  // Polar's package uses the system clock
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    'polar_whs_of_this_endpoint',
    'whsec_with_underscores_that_base64_does_not_have',
    'whsec_dGhpcnR5LXR3byByYW5kb20gYnl0ZXM=',
  ])('made with %s as plain text is accepted, because Polar itself signs that way', async (secret) => {
    await expect(verify(signed(secret), [secret])).resolves.toBeUndefined();
  });

  test('made as Standard Webhooks requires, with the bytes that the secret encodes, is accepted', async () => {
    const key = Buffer.from('thirty-two random bytes');
    const secret = `whsec_${key.toString('base64')}`;
    const headers = signed(secret);
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${BODY}`;
    const signature = createHmac('sha256', key).update(content).digest('base64');
    expect(signature).not.toBe(headers['webhook-signature']?.slice('v1,'.length));
    await expect(verify({ ...headers, 'webhook-signature': `v1,${signature}` }, [secret])).resolves.toBeUndefined();
  });

  test('is valid for a type that the package does not know, and for a body that is not JSON', async () => {
    for (const text of ['{"type":"dispute.created"}', '{}', '[]', 'no JSON']) {
      const rawBody = Buffer.from(text);
      await expect(verify(signed(SECRET, NOW, rawBody), [SECRET], rawBody), text).resolves.toBeUndefined();
    }
  });

  test('counts at any place among several', async () => {
    const headers = signed();
    const others = `v1,${'A'.repeat(43)}= v2,nothing`;
    for (const text of [`${headers['webhook-signature']} ${others}`, `${others} ${headers['webhook-signature']}`]) {
      await expect(verify({ ...headers, 'webhook-signature': text })).resolves.toBeUndefined();
    }
    await expect(verify({ ...headers, 'webhook-signature': others })).rejects.toThrow('does not match');
  });

  test('is refused when it brings more signatures than a rotation needs', async () => {
    const headers = signed();
    const many = Array(6).fill(headers['webhook-signature']).join(' ');
    await expect(verify({ ...headers, 'webhook-signature': many })).rejects.toThrow('has 6 signatures');
  });

  test('covers the id: another id needs another signature', async () => {
    await expect(verify({ ...signed(), 'webhook-id': 'another' })).rejects.toThrow('does not match');
  });

  test('is valid for 300 s in both directions, and the reason shows both clocks', async () => {
    for (const now of [NOW - 300_000, NOW + 300_000]) {
      await expect(verify(signed(SECRET, now))).resolves.toBeUndefined();
    }
    await expect(verify(signed(SECRET, NOW - 301_000))).rejects.toThrow(
      'The signature is 301 s old, and 300 s are allowed: Polar says 2026-11-20T11:54:59.000Z, ' +
        'this machine’s clock says 2026-11-20T12:00:00.000Z',
    );
    await expect(verify(signed(SECRET, NOW + 301_000))).rejects.toThrow('The signature is 301 s ahead');
  });

  test.each([
    ['no headers', {}, 'Headers are missing (webhook-id, webhook-timestamp, webhook-signature)'],
    ['no signature', { ...signed(), 'webhook-signature': '' }, 'Headers are missing (webhook-signature)'],
    ['a repeated header', { ...signed(), 'webhook-id': ['1', '2'] as never }, 'Headers are missing (webhook-id)'],
    ['a date for a timestamp', { ...signed(), 'webhook-timestamp': '2026-11-20' }, 'is not a number of seconds'],
    ['another secret', signed('another'), 'The secret of this endpoint does not match'],
  ])('with %s is refused, and the operator reads why', async (_what, headers, message) => {
    await expect(verify(headers)).rejects.toMatchObject({
      code: 'INVALID_SIGNATURE',
      message: expect.stringContaining(message),
    });
  });

  test('is not valid for bytes that are not UTF-8, nor with a byte order mark that was not signed', async () => {
    const broken = Buffer.from([0x7b, 0xff, 0x7d]);
    const headers = signed(SECRET, NOW, Buffer.from(broken.toString('utf8')));
    await expect(verify(headers, [SECRET], broken)).rejects.toThrow('not UTF-8');
    await expect(verify(signed(), [SECRET], Buffer.concat([Buffer.from('\uFEFF'), BODY]))).rejects.toThrow(
      'does not match',
    );
  });
});

test('a replayed body is the same delivery, a different body is another one', () => {
  const keyOf = (text: string, now: number) => polar.sign(Buffer.from(text), endpoint(SECRET), now)['webhook-id'];
  expect(keyOf('{"a":1}', NOW)).toBe(keyOf('{"a":1}', NOW + 1000));
  expect(keyOf('{"a":1}', NOW)).not.toBe(keyOf('{"a":2}', NOW));
  expect(() => polar.sign(BODY, endpoint(), NOW)).toThrow('none is set');
});

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

  test('that settles a dispute counts once, as a refund, and the dispute is noted', () => {
    const interpretation = interpret(bodyOf('refund.updated--dispute'));
    const kinds = interpretation.kind === 'facts' ? interpretation.facts.map(({ kind }) => kind) : [];
    expect(kinds).toEqual(['payment.refunded', 'noted']);
  });
});
