import type { SourceFixture } from './server.ts';

const affiliate = (id: string, first: string, state = 'active') => ({
  id,
  email: `${first.toLowerCase()}@example.com`,
  first_name: first,
  last_name: 'Example',
  state,
  paypal_email: null,
  visitors: 12,
  campaign: { id: 'cam-1', name: 'Friends' },
  links: [
    {
      id: `lnk-${id}`,
      url: `https://shop.example.com/?via=${first.toLowerCase()}`,
      token: first.toLowerCase(),
      visitors: 12,
    },
  ],
});
const ANA = affiliate('aff-1', 'Ana');
const BOB = affiliate('aff-2', 'Bob', 'disabled');

const referral = (id: string, customer: string | null, of = ANA) => ({
  id,
  conversion_state: 'conversion',
  deactivated_at: null,
  stripe_customer_id: customer,
  customer:
    customer === null ? null : { platform: 'stripe', id: customer, name: null, email: `${customer}@example.com` },
  affiliate: of,
});

export const commission = (id: string, state: string, amount: number, more: object = {}) => ({
  id,
  amount,
  currency: 'USD',
  state,
  created_at: '2026-01-10T10:00:00.000Z',
  due_at: '2026-02-09T10:00:00.000Z',
  paid_at: state === 'paid' ? '2026-02-10T10:00:00.000Z' : null,
  voided_at: null,
  campaign: { id: 'cam-1' },
  sale: {
    id: `sale-${id}`,
    currency: 'USD',
    charged_at: '2026-01-10T09:59:00.000Z',
    invoiced_at: '2026-01-10T09:58:00.000Z',
    stripe_charge_id: `ch_${id}`,
    charge_amount_cents: amount * 4,
    refund_amount_cents: 0,
    tax_amount_cents: 0,
    sale_amount_cents: amount * 4,
    referral: referral('ref-1', 'cus_1001'),
    affiliate: ANA,
  },
  ...more,
});

/** https://developers.rewardful.com/rest-api */
export const rewardfulFixture: SourceFixture = {
  environment: { REWARDFUL_API_SECRET: 'secret_of_a_test' },
  headers: { authorization: `Basic ${Buffer.from('secret_of_a_test:').toString('base64')}` },
  lists: {
    '/campaigns': [
      {
        id: 'cam-1',
        name: 'Friends',
        reward_type: 'percent',
        commission_percent: 25.5,
        commission_amount_cents: null,
        minimum_payout_cents: 5000,
        minimum_payout_currency: 'USD',
        max_commission_period_months: 12,
        days_until_commissions_are_due: 45,
      },
      { id: 'cam-2', name: 'Gifts', reward_type: 'gift card', commission_percent: null },
    ],
    '/affiliates': [ANA, BOB, { ...affiliate('aff-3', 'Cleo'), campaign: { id: 'cam-2' } }],
    '/affiliate_coupons': [{ id: 'cpn-1', token: 'ANA10', affiliate_id: 'aff-1' }],
    '/referrals': [referral('ref-1', 'cus_1001'), referral('ref-2', 'cus_1002', BOB), referral('ref-3', null)],
    '/payouts': [
      {
        id: 'pay-1',
        amount: 2500,
        currency: 'USD',
        state: 'paid',
        paid_at: '2026-02-10T10:00:00.000Z',
        affiliate: ANA,
        commissions: [{ id: 'com-1' }],
      },
      {
        id: 'pay-2',
        amount: 100,
        currency: 'USD',
        state: 'processing',
        affiliate: ANA,
        commissions: [{ id: 'com-5' }],
      },
    ],
    '/commissions': [
      commission('com-1', 'paid', 2500),
      commission('com-2', 'due', 1000),
      commission('com-3', 'voided', 700),
      commission('com-4', 'thinking', 1),
      commission('com-5', 'due', 100),
      commission('com-6', 'paid', 300),
      commission('com-7', 'pending', 10, { currency: 'Bitcoin' }),
    ],
  },
  page(rows, query) {
    const [page, size] = [Number(query.get('page')), 2];
    const hasMore = rows.length > page * size;
    return {
      pagination: { current_page: page, next_page: hasMore ? page + 1 : null, count: rows.length, limit: size },
      data: rows.slice((page - 1) * size, page * size),
    };
  },
};
