import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndpointSecrets } from '../../adapters/contract/adapter.ts';
import revenuecat from '../../adapters/revenuecat/index.ts';
import { amountsOf } from '../../adapters/revenuecat/money.ts';
import { changed, fixture, interpreted, SETTINGS } from './revenuecat-bodies.ts';

const NOW = Date.UTC(2026, 9, 28, 10, 0, 5);
const SECONDS = Math.floor(NOW / 1000);
const BOTH: EndpointSecrets = { secrets: ['whsig_fern'], authorization: 'Bearer fern-plus', shopDomain: null };
const LITERAL: EndpointSecrets = { ...BOTH, secrets: [] };
const SIGNED: EndpointSecrets = { ...BOTH, authorization: null };
const HEADER = 'x-revenuecat-webhook-signature';

const RAW_BODY = fixture('INITIAL_PURCHASE');
const BOTH_HEADERS = revenuecat.sign(RAW_BODY, BOTH, NOW);

function refusal(
  headers: Record<string, string | undefined>,
  endpoint: EndpointSecrets,
  now = NOW,
  rawBody = RAW_BODY,
) {
  return revenuecat.verify({ rawBody, headers }, endpoint, now).then(
    () => 'accepted',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );
}

describe('a RevenueCat delivery is recognized', () => {
  it('by the literal Authorization, by the signature, or by both when both are configured', async () => {
    expect(await refusal({ authorization: 'Bearer fern-plus' }, LITERAL)).toBe('accepted');
    expect(await refusal({ [HEADER]: BOTH_HEADERS[HEADER] }, SIGNED)).toBe('accepted');
    expect(await refusal(BOTH_HEADERS, BOTH)).toBe('accepted');
  });

  it('by the scheme that RevenueCat documents', async () => {
    const hex = createHmac('sha256', 'whsig_fern')
      .update(`${SECONDS}.${RAW_BODY.toString('utf8')}`)
      .digest('hex');
    expect(await refusal({ [HEADER]: `t=${SECONDS},v1=${hex}` }, SIGNED)).toBe('accepted');
  });

  it('by any secret and any v1 while a secret is rotated', async () => {
    const rotated = { ...SIGNED, secrets: ['whsig_newer', 'whsig_fern'] };
    const twice = BOTH_HEADERS[HEADER]?.replace('v1=', `v1=${'0'.repeat(64)}, v1=`);
    expect(await refusal({ [HEADER]: twice }, rotated)).toBe('accepted');
  });

  it('within five minutes in either direction', async () => {
    expect(await refusal(BOTH_HEADERS, BOTH, NOW + 300_000)).toBe('accepted');
    expect(await refusal(BOTH_HEADERS, BOTH, NOW - 300_000)).toBe('accepted');
  });
});

describe('a RevenueCat delivery is refused', () => {
  const nothing: EndpointSecrets = { secrets: [], authorization: null, shopDomain: null };
  const forged = { ...BOTH_HEADERS, [HEADER]: `t=${SECONDS},v1=${'0'.repeat(64)}` };

  it.each([
    ['while nothing is configured', BOTH_HEADERS, nothing, /neither an authorization value nor a signing secret/],
    ['while the authorization is empty', { authorization: '' }, { ...nothing, authorization: '' }, /neither/],
    ['without the Authorization', { [HEADER]: BOTH_HEADERS[HEADER] }, BOTH, /Authorization header is missing/],
    ['with another Authorization', { authorization: 'fern-plus' }, LITERAL, /a Bearer in front included/],
    ['without the signature that is required too', { authorization: 'Bearer fern-plus' }, BOTH, /switch on HMAC/],
    ['with a forged signature beside the right Authorization', forged, BOTH, /No secret matched X-RevenueCat/],
    ['with a header that is no signature', { [HEADER]: 'v1=abc' }, SIGNED, /does not read t=<seconds>,v1=<hex>/],
  ])('%s', async (_case, headers, endpoint, message) => {
    const answer = await refusal(headers, endpoint);
    expect(answer).toMatch(/^INVALID_SIGNATURE: /);
    expect(answer).toMatch(message);
    expect(answer).not.toMatch(/whsig_|fern-plus/);
  });

  it('when it is older than five minutes, and the reason shows both clocks', async () => {
    expect(await refusal(BOTH_HEADERS, BOTH, NOW + 412_000)).toContain(
      `right but 412 s old, and 300 s are allowed: signed at ${SECONDS}, the clock here says ${SECONDS + 412}`,
    );
    expect(await refusal(BOTH_HEADERS, BOTH, NOW - 301_000)).toContain('301 s ahead');
  });

  it('when a byte of its body changed', async () => {
    expect(await refusal(BOTH_HEADERS, BOTH, NOW, fixture('RENEWAL'))).toMatch(/No secret matched/);
  });
});

describe('a RevenueCat delivery', () => {
  it('is identified by the id of its event, which stays the same in retries', () => {
    expect(revenuecat.read({ rawBody: RAW_BODY, headers: {} })).toMatchObject({
      deliveryKey: '6F0C2B7E-41D9-4A53-9C1E-000000000001',
      eventType: 'INITIAL_PURCHASE',
    });
  });

  it.each(['', 'null', '[]', '{"event":', '{"event":7}', '{"event":{"id":{}}}'])('is unknown as %j', (text) => {
    const delivery = revenuecat.read({ rawBody: Buffer.from(text), headers: {} });
    expect(delivery).toMatchObject({ deliveryKey: null, eventType: null });
    expect(revenuecat.interpret(delivery, {}, SETTINGS).kind).toBe('unknown');
  });

  it("is signed with any of its endpoint's secrets", () => {
    expect(Object.keys(revenuecat.sign(RAW_BODY, LITERAL, NOW))).toEqual(['content-type', 'authorization']);
    expect(Object.keys(revenuecat.sign(RAW_BODY, SIGNED, NOW))).toEqual(['content-type', HEADER]);
    expect(() => revenuecat.sign(RAW_BODY, { ...LITERAL, authorization: null }, NOW)).toThrow(/authorization value or/);
  });
});

describe('what a RevenueCat event means', () => {
  it('a refund names the same payment as its purchase, and its reversal names the refund', () => {
    const key = 'APP_STORE:380001219800154';
    expect(interpreted(fixture('RENEWAL'))).toMatchObject({ facts: [{ invoiceId: key, references: [key] }] });
    expect(interpreted(fixture('CANCELLATION--refund'))).toMatchObject({
      facts: [{ references: [key], refund: { refundId: key, amountMinor: 999 } }, { kind: 'customer.identified' }],
    });
    expect(interpreted(fixture('REFUND_REVERSED'))).toMatchObject({
      facts: [{ references: [key], refundId: key }, { kind: 'customer.identified' }],
    });
  });

  it.each([
    ['RENEWAL', '0.004', 'less than the smallest unit'],
    ['CANCELLATION--refund', '-0.00', 'paid nothing back'],
  ])('%s of %s is noted', (name, price, what) => {
    const body = fixture(name).toString('utf8');
    const changedBody = body.replace(/(?<="price_in_purchased_currency": )[-.\d]+/, price);
    expect(changedBody).not.toBe(body);
    expect(interpreted(Buffer.from(changedBody))).toMatchObject({
      facts: [{ kind: 'customer.identified' }, { kind: 'noted', what: expect.stringContaining(what) }],
    });
  });

  it('what happens at a paywall moves no money', () => {
    expect(interpreted(changed('TEST', { type: 'PAYWALL_IMPRESSION' })).kind).toBe('ignored');
    expect(interpreted(changed('TEST', { type: 'SOFT_PAYWALL_IMPRESSION' })).kind).toBe('unknown');
  });

  it('the reversal of a refund needs no price and no currency', () => {
    const nothing = { currency: null, price: null, price_in_purchased_currency: null };
    expect(interpreted(changed('REFUND_REVERSED', nothing))).toMatchObject({
      facts: [{ kind: 'payment.refund_undone', amountMinor: null, currency: null }, { kind: 'customer.identified' }],
    });
  });

  it('the price is what was paid in the currency of the purchase, not its value in dollars', () => {
    const result = interpreted(
      changed('RENEWAL', { price: 11.42, price_in_purchased_currency: 10.49, currency: 'CHF' }),
    );
    expect(result).toMatchObject({ facts: [{ grossMinor: 1049, currency: 'chf' }] });
  });

  it.each(['DEVELOPER_INITIATED', 'A_NEW_REASON', null])('a repayment for the reason %s is a refund', (reason) => {
    const back = changed('CANCELLATION--refund', { cancel_reason: reason });
    expect(interpreted(back)).toHaveProperty('facts.0.kind', 'payment.refunded');
  });

  it('a refund by customer support with a price above zero is unknown', () => {
    const positive = changed('CANCELLATION--refund', { price_in_purchased_currency: 9.99 });
    expect(interpreted(positive)).toMatchObject({ kind: 'unknown' });
  });

  it('a refund from a store that is not counted does not count either', () => {
    const { kind } = interpreted(changed('CANCELLATION--refund', { store: 'STRIPE' }));
    expect(kind).toBe('ignored');
  });

  it.each([
    ['si_Rk8vQ2mXw4', 1, 'STRIPE:si_Rk8vQ2mXw4'],
    ['si_Rk8vQ2mXw4', 3, 'STRIPE:si_Rk8vQ2mXw4:3'],
    ['sub_1SQzvR2eZb', 12, 'STRIPE:sub_1SQzvR2eZb:12'],
    ['si_Rk8vQ2mXw4', null, 'STRIPE:si_Rk8vQ2mXw4'],
    ['si_Rk8vQ2mXw4', 'third', 'STRIPE:si_Rk8vQ2mXw4'],
    ['in_1SQzvR2eZb', 3, 'STRIPE:in_1SQzvR2eZb'],
  ])('payment %s number %s of a Stripe subscription, and its refund, is %s', (transaction, number, key) => {
    const members = { store: 'STRIPE', transaction_id: transaction, renewal_number: number };
    const settings = { ...SETTINGS, countStores: ['STRIPE'] };
    for (const event of ['RENEWAL', 'CANCELLATION--refund', 'REFUND_REVERSED']) {
      expect(interpreted(changed(event, members), settings), event).toHaveProperty('facts.0.references', [key]);
    }
  });

  it('a purchase without a store or with an undocumented environment is unknown', () => {
    expect(interpreted(changed('RENEWAL', { store: null })).kind).toBe('unknown');
    expect(interpreted(changed('RENEWAL', { environment: 'STAGING' })).kind).toBe('unknown');
  });

  it('a purchase with a negative price, or a tax above the total, is unknown', () => {
    expect(interpreted(changed('RENEWAL', { price_in_purchased_currency: -1 })).kind).toBe('unknown');
    expect(interpreted(changed('RENEWAL', { tax_percentage: 1.01 })).kind).toBe('unknown');
  });

  it('app user ids count after the attribute, each once, but anonymous ones never name anybody', () => {
    const aliases = ['$RCAnonymousID:1', 'user_old', 'user_5101', 'user_5101'];
    const result = interpreted(
      changed('RENEWAL', { app_user_id: 'user_5101', original_app_user_id: 'first', aliases }),
    );
    expect(result).toMatchObject({
      facts: [
        {
          customer: {
            processorCustomerId: 'first',
            externalIds: [
              { value: 'user_5101', place: 'subscriber_attributes.svcCustomerExternalId' },
              { value: 'first', place: 'original_app_user_id' },
              { value: 'user_old', place: 'aliases[1]' },
            ],
          },
        },
        { kind: 'customer.identified', customer: { processorCustomerId: '$RCAnonymousID:1' } },
      ],
    });
  });

  it('no signed body makes it throw', () => {
    const { event } = JSON.parse(RAW_BODY.toString('utf8'));
    const members = fc.dictionary(fc.constantFrom(...Object.keys(event)), fc.jsonValue(), { maxKeys: 3 });
    fc.assert(
      fc.property(members, (junk) => {
        expect(['facts', 'ignored', 'unknown']).toContain(interpreted(changed('INITIAL_PURCHASE', junk)).kind);
      }),
    );
  });
});

describe('a price minus its tax', () => {
  it.each([
    ['9.99', '0.2', 'eur', 999, 799],
    ['0.29', '0.5', 'usd', 29, 15],
    ['1.005', '0', 'usd', 101, 101],
    ['4.35', null, 'usd', 435, 435],
    ['1e2', '1e-1', 'jpy', 100, 90],
    ['12.5', '1', 'usd', 1250, 0],
    ['1234567.8901234567', '0.083333333333333329', 'usd', 123456789, 113168723],
  ])('%s less %s of it in %s', (price, share, currency, grossMinor, netMinor) => {
    expect(amountsOf(price, share, currency)).toEqual({ grossMinor, netMinor, taxMinor: grossMinor - netMinor });
  });

  it.each(['', '-0.1', 'NaN', '1e99', '0x1'])('cannot be read with a tax of %j', (share) => {
    expect(amountsOf('9.99', share, 'usd')).toBeNull();
  });
});
