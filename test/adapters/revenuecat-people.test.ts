import { describe, expect, it } from 'vitest';
import revenuecat from '../../adapters/revenuecat/index.ts';
import { interpretDelivery } from '../../src/deliveries/interpret.ts';
import { changed, fixture, interpreted, SETTINGS } from './revenuecat-bodies.ts';

describe('who a RevenueCat event is about', () => {
  const TYPES = ['PRODUCT_CHANGE', 'PURCHASE_REDEEMED', 'INVOICE_ISSUANCE', 'VIRTUAL_CURRENCY_TRANSACTION', 'TRANSFER'];
  const CONSENT = ['PRICE_INCREASE_CONSENT_REQUIRED', 'PRICE_INCREASE_CONSENT_APPROVED'];

  it.each([...TYPES, ...CONSENT, 'CANCELLATION', 'REFUND_REVERSED'])('%s teaches it', (type) => {
    const result = interpreted(changed('CANCELLATION--refund', { type }));
    const kinds = result.kind === 'facts' ? result.facts.map(({ kind }) => kind) : [];
    expect(kinds).toContain('customer.identified');
  });

  it.each([
    'UNCANCELLATION',
    'EXPIRATION',
    'BILLING_ISSUE',
    'SUBSCRIPTION_PAUSED',
    'SUBSCRIPTION_EXTENDED',
    'TEMPORARY_ENTITLEMENT_GRANT',
    'EXPERIMENT_ENROLLMENT',
  ])('%s teaches it, and moves no money', (type) => {
    const result = interpreted(changed('RENEWAL', { type }));
    const kinds = result.kind === 'facts' ? result.facts.map(({ kind }) => kind) : [];
    expect(kinds).toEqual(['customer.identified', 'noted']);
  });

  it.each(['UNSUBSCRIBE', 'BILLING_ERROR', 'DEVELOPER_INITIATED', 'PRICE_INCREASE', 'UNKNOWN'])(
    'a cancellation because of %s teaches it, and moves no money',
    (cancel_reason) => {
      const body = changed('CANCELLATION--refund', { cancel_reason, price_in_purchased_currency: 0 });
      expect(interpreted(body)).toMatchObject({
        facts: [{ kind: 'customer.identified' }, { kind: 'noted', what: expect.stringContaining(cancel_reason) }],
      });
    },
  );

  it.each([...TYPES, 'CANCELLATION', 'SUBSCRIBER_ALIAS', 'TEST'])('%s in the sandbox teaches nothing', (type) => {
    expect(interpreted(changed('CANCELLATION--refund', { type, environment: 'SANDBOX' })).kind).toBe('ignored');
  });

  it('virtual currency of the sandbox teaches nothing, although it names its environment differently', () => {
    const learnedIn = (purchase_environment: string, settings = SETTINGS) => {
      const members = { type: 'VIRTUAL_CURRENCY_TRANSACTION', environment: undefined, purchase_environment };
      return interpreted(changed('CANCELLATION--refund', members), settings).kind;
    };
    expect(learnedIn('SANDBOX')).toBe('ignored');
    expect(learnedIn('SANDBOX', { ...SETTINGS, acceptTestEvents: true })).toBe('facts');
    expect(learnedIn('PRODUCTION')).toBe('facts');
  });

  it.each(['INITIAL_PURCHASE', 'NON_RENEWING_PURCHASE'])(
    "%s of Web Billing names it in the purchase's metadata",
    (type) => {
      const anonymous = { app_user_id: '$RCAnonymousID:1', original_app_user_id: '$RCAnonymousID:1', aliases: [] };
      const customerOf = (metadata: unknown, more: Record<string, unknown> = {}) =>
        interpreted(changed('INITIAL_PURCHASE--web-billing', { type, ...anonymous, metadata, ...more }));
      const metadata = { svcCustomerExternalId: 71, svc_id: 'clk_1', utm_source: 'blog' };
      const named = { value: '71', place: 'metadata.svcCustomerExternalId' };
      const clicked = { value: 'clk_1', place: 'metadata.svc_id' };
      expect(customerOf(metadata, { subscriber_attributes: {} })).toMatchObject({
        facts: [{ kind: 'payment.received', customer: { externalIds: [named], clickIds: [clicked] } }],
      });
      expect(customerOf(metadata)).toMatchObject({
        facts: [
          {
            customer: {
              externalIds: [named, { place: 'subscriber_attributes.svcCustomerExternalId' }],
              clickIds: [clicked, {}],
            },
          },
        ],
      });
      for (const odd of [null, 'x', [], { svcCustomerExternalId: null, svc_id: {} }]) {
        expect(customerOf(odd)).toMatchObject({ facts: [{ customer: { externalIds: [{ value: 'user_5101' }] } }] });
      }
    },
  );

  it('every anonymous alias beside a user is taught, and none without one', () => {
    const aliases = ['$RCAnonymousID:1', 'mia', '$RCAnonymousID:2', '$RCAnonymousID:1'];
    const taught = (app_user_id: string, ids: string[], type: string) => {
      const members = { type, app_user_id, original_app_user_id: app_user_id, aliases: ids, subscriber_attributes: {} };
      const result = interpreted(changed('NON_RENEWING_PURCHASE', members));
      return (result.kind === 'facts' ? result.facts : []).flatMap((fact) =>
        fact.kind === 'customer.identified' ? fact.customer.processorCustomerId : [],
      );
    };
    expect(taught('mia', aliases, 'NON_RENEWING_PURCHASE')).toEqual(['$RCAnonymousID:1', '$RCAnonymousID:2']);
    expect(taught('mia', aliases, 'SUBSCRIBER_ALIAS')).toEqual(['mia', '$RCAnonymousID:1', '$RCAnonymousID:2']);
    expect(taught('$RCAnonymousID:3', ['$RCAnonymousID:1'], 'SUBSCRIBER_ALIAS')).toEqual([]);
    const many = Array.from({ length: 900 }, (_, index) => `$RCAnonymousID:${index}`);
    expect(taught('mia', many, 'NON_RENEWING_PURCHASE')).toEqual(many.slice(0, 100));
  });

  it('anonymous aliases never hide the user behind them', () => {
    const aliases = [...Array.from({ length: 30 }, (_, index) => `$RCAnonymousID:${index}`), 'mia'];
    const anonymous = { app_user_id: aliases[0], original_app_user_id: aliases[0], subscriber_attributes: {} };
    expect(interpreted(changed('NON_RENEWING_PURCHASE', { ...anonymous, aliases }))).toMatchObject({
      facts: [
        { customer: { externalIds: [{ value: 'mia', place: 'aliases[30]' }] } },
        ...aliases.slice(1, 30).map(() => ({})),
      ],
    });
  });

  it.each([
    ['a click', { subscriber_attributes: { svc_id: { value: 'clk_1' } } }],
    ['an address', { subscriber_attributes: { $email: { value: 'mia@example.com' } } }],
    ['an offer code', { subscriber_attributes: {}, offer_code: 'MIA20' }],
  ])('%s alone identifies an anonymous user', (_what, members) => {
    const anonymous = { app_user_id: '$RCAnonymousID:1', original_app_user_id: '$RCAnonymousID:1', aliases: [] };
    expect(interpreted(changed('PRODUCT_CHANGE', { ...anonymous, ...members }))).toMatchObject({
      facts: [
        { kind: 'customer.identified', customer: { processorCustomerId: '$RCAnonymousID:1' } },
        { kind: 'noted' },
      ],
    });
  });

  it('the subscriber is the user whom the event names when it names no first one', () => {
    const members = { app_user_id: 'mia', original_app_user_id: null, aliases: [], subscriber_attributes: {} };
    expect(interpreted(changed('NON_RENEWING_PURCHASE', members))).toMatchObject({
      facts: [{ customer: { processorCustomerId: 'mia', externalIds: [{ value: 'mia', place: 'app_user_id' }] } }],
    });
  });

  it('the users of the app are read from at most 20 places', () => {
    const aliases = Array.from({ length: 30 }, (_, index) => `user_${index}`);
    const members = { app_user_id: 'user_0', original_app_user_id: 'user_0', aliases, subscriber_attributes: {} };
    const result = interpreted(changed('NON_RENEWING_PURCHASE', members));
    const [payment] = result.kind === 'facts' ? result.facts : [];
    const named = payment?.kind === 'payment.received' ? payment.customer.externalIds : [];
    expect(named.map(({ value }) => value)).toEqual(aliases.slice(0, 18));
  });

  it('an event that names only an anonymous user is ignored, as before', () => {
    const anonymous = '$RCAnonymousID:1';
    const ids = {
      app_user_id: anonymous,
      original_app_user_id: anonymous,
      aliases: [anonymous],
      subscriber_attributes: {},
    };
    expect(interpreted(changed('PRODUCT_CHANGE', ids)).kind).toBe('ignored');
  });
});

describe.each([
  ['TRANSFER', 'transferred_from', 'transferred_to', []],
  ['PURCHASE_REDEEMED', 'redeemed_from', 'redeemed_by', 'ignored'],
])('whose purchases %s moves, and to whom', (type, fromList, toList, nothing) => {
  const [ANONYMOUS, OTHER] = ['$RCAnonymousID:1', '$RCAnonymousID:2'];
  const learned = (from: unknown, to: unknown, more = {}) => {
    const result = interpreted(changed(type, { [fromList]: from, [toList]: to, ...more }));
    if (result.kind !== 'facts') return result.kind;
    return result.facts.flatMap((fact) =>
      fact.kind === 'customer.identified'
        ? [[fact.customer.processorCustomerId, ...fact.customer.externalIds.map(({ value }) => value)]]
        : [],
    );
  };

  it('those of anonymous ids become those of the user who gets them', () => {
    expect(learned([ANONYMOUS], ['mia'])).toEqual([[ANONYMOUS, 'mia']]);
    expect(learned([ANONYMOUS, OTHER], ['$RCAnonymousID:3', 'mia'])).toEqual([
      [ANONYMOUS, 'mia'],
      [OTHER, 'mia'],
    ]);
    expect(learned([ANONYMOUS, 'mia'], ['mia'])).toEqual([[ANONYMOUS, 'mia']]);
  });

  it.each([
    ['another user had them', [ANONYMOUS, 'ben'], ['mia']],
    ['an anonymous id gets them', [ANONYMOUS], [OTHER]],
    ['it is not clear which user gets them', [ANONYMOUS], ['mia', 'ben']],
    ['an id cannot be read', [ANONYMOUS, { id: 'ben' }], ['mia']],
    ['it names nobody', undefined, undefined],
  ])('nothing is learned when %s', (_why, from, to) => {
    expect(learned(from, to)).toEqual(nothing);
  });

  it('a user with many anonymous ids gets those of many others, up to 100', () => {
    const many = (length: number) => Array.from({ length }, (_, index) => `${ANONYMOUS}${index}`);
    const to = [...many(1_500), 'mia'];
    expect(learned(many(21), to)).toEqual(many(21).map((id) => [id, 'mia']));
    expect(learned(many(1_500), to)).toEqual(many(100).map((id) => [id, 'mia']));
    expect(learned([...many(1_500), 'ben'], to)).toEqual(nothing);
    expect(learned([ANONYMOUS], [...to, 'ben'])).toEqual(nothing);
    expect(learned([...many(1_500), 7, {}], to)).toEqual(nothing);
  });

  it('nothing is learned from the sandbox', () => {
    expect(learned([ANONYMOUS], ['mia'], { environment: 'SANDBOX' })).toBe('ignored');
  });
});

it('a redemption with an undocumented outcome is unknown', () => {
  const undocumented = changed('PURCHASE_REDEEMED', { redemption_outcome: 'refused' });
  expect(interpreted(undocumented)).toMatchObject({ reason: expect.stringContaining('redemption_outcome') });
});

describe('a RevenueCat customer with more ids than a list may have', () => {
  const many = Array.from({ length: 1_500 }, (_, index) => `$RCAnonymousID:${index}`);

  it.each([
    ['app_user_id names the user', { app_user_id: 'mia', aliases: many }],
    ['aliases name the user', { app_user_id: many[0], aliases: [...many, 'mia'] }],
  ])('is still found when %s', (_who, ids) => {
    const rawBody = changed('NON_RENEWING_PURCHASE', { ...ids, subscriber_attributes: {} });
    const { interpreted: result } = interpretDelivery(revenuecat, {
      processor: 'revenuecat',
      rawBody,
      headers: {},
      settings: SETTINGS,
      programId: null,
      verification: null,
    });
    expect(result.interpretation).toMatchObject({ kind: 'facts' });
    const [payment] = result.interpretation?.kind === 'facts' ? result.interpretation.facts : [];
    expect(payment).toMatchObject({ kind: 'payment.received', customer: { externalIds: [{ value: 'mia' }] } });
  });
});

describe('which RevenueCat purchases count', () => {
  it('those of Web Billing do, because no processor reports them', () => {
    expect(interpreted(fixture('INITIAL_PURCHASE--web-billing'))).toMatchObject({
      facts: [{ kind: 'payment.received', invoiceId: 'RC_BILLING:txRcb1a2b3c4' }],
    });
  });

  it.each(['STRIPE', 'PADDLE', 'PROMOTIONAL', 'TEST_STORE'])('those of %s do not', (store) => {
    expect(interpreted(changed('INITIAL_PURCHASE--web-billing', { store })).kind).toBe('ignored');
  });

  it('a purchase above the limit is unknown', () => {
    const price = { price_in_purchased_currency: 10_000_000_000.01 };
    expect(interpreted(changed('RENEWAL', price))).toMatchObject({ reason: expect.stringContaining('gross amount') });
  });
});
