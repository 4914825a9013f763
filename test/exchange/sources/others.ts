import type { SourceFixture } from './server.ts';

/** A list by page number: the page itself, in the envelope that `wrap` adds. */
const byNumber =
  (sizeName: string, wrap: (rows: readonly object[]) => unknown): SourceFixture['page'] =>
  (rows, query) => {
    const [page, size] = [Number(query.get('page')), Number(query.get(sizeName))];
    return wrap(rows.slice((page - 1) * size, page * size));
  };

/** A list that continues after a record, two records at a time. */
const afterLast =
  (
    idOf: (row: object) => string,
    wrap: (rows: readonly object[], hasMore: boolean) => unknown,
  ): SourceFixture['page'] =>
  (rows, query) => {
    const after = query.get('starting_after');
    const start = after === null ? 0 : rows.findIndex((row) => idOf(row) === after) + 1;
    return wrap(rows.slice(start, start + 2), start + 2 < rows.length);
  };

/** Fills a page with records that are left out, so that the last record is on the next page. */
export const many = (row: (place: number) => object) => Array.from({ length: 100 }, (_, place) => row(place));

const toltCommission = (id: string, status: string, amount: string) => ({
  id,
  amount,
  revenue: 2_500,
  status,
  charge_id: `ch_${id}`,
  transaction_id: `txn_${id}`,
  source: 'stripe',
  created_at: '2026-01-15T14:30:00.000Z',
  partner_id: 'part_1',
  customer: { id: 'cust_1', email: 'one@example.com', name: 'One' },
});

/** https://docs.tolt.com */
export const toltFixture: SourceFixture = {
  environment: { TOLT_API_KEY: 'tolt_of_a_test', TOLT_PROGRAM_ID: 'prg_1', TOLT_CURRENCY: 'USD' },
  headers: { authorization: 'Bearer tolt_of_a_test' },
  linkUrl: 'https://shop.example.com/',
  lists: {
    '/partners': [{ id: 'part_1', email: 'ana@example.com', first_name: 'Ana', last_name: 'Ünal', status: 'active' }],
    '/links': [{ id: 'link_1', param: 'ref', value: 'ana', partner: { id: 'part_1' } }],
    '/customers': [
      { id: 'cust_1', customer_id: 'user_1', email: 'one@example.com', name: 'One', partner_id: 'part_1' },
      { id: 'cust_2', customer_id: null, email: null, name: null, partner_id: 'part_1' },
    ],
    '/commissions': [
      toltCommission('comm_1', 'paid', '2000'),
      toltCommission('comm_2', 'approved', '500'),
      toltCommission('comm_3', 'rejected', '100'),
      toltCommission('comm_4', 'pondering', '100'),
      toltCommission('comm_5', 'pending', '12.5'),
    ],
  },
  page: afterLast(
    (row) => (row as { id: string }).id,
    // its list of customers is nested one level deeper than the others
    (rows, hasMore) =>
      'customer_id' in (rows[0] ?? {})
        ? { success: true, data: { data: rows, has_more: hasMore } }
        : { success: true, data: rows, has_more: hasMore },
  ),
};

const promoter = { id: 11, email: 'ana@example.com' };
const fpCommission = (id: number, status: string, amount: number, more: object = {}) => ({
  id,
  status,
  is_paid: false,
  unit: 'cash',
  amount,
  sale_amount: amount * 5,
  event_id: `ch_${id}`,
  created_at: '2026-01-10T10:00:00.000Z',
  referral: { id: 21, email: 'one@example.com', uid: 'user_1' },
  promoter_campaign: { id: 31, promoter },
  ...more,
});

/** https://docs.firstpromoter.com/api-reference-v2 */
export const firstpromoterFixture: SourceFixture = {
  environment: {
    FIRSTPROMOTER_API_KEY: 'fp_of_a_test',
    FIRSTPROMOTER_ACCOUNT_ID: 'acc_1',
    FIRSTPROMOTER_CURRENCY: 'usd',
  },
  headers: { authorization: 'Bearer fp_of_a_test', 'account-id': 'acc_1' },
  lists: {
    '/promoters': [
      {
        ...promoter,
        cust_id: 'user_ana',
        archived_at: null,
        profile: { first_name: 'Ana', last_name: 'Ünal' },
        promoter_campaigns: [
          {
            id: 31,
            promoter_id: 11,
            state: 'accepted',
            ref_token: 'ana',
            ref_link: 'https://shop.example.com/?fpr=ana',
            coupon: 'ANA10',
          },
          { id: 32, promoter_id: 11, state: 'blocked', ref_token: null, ref_link: null, coupon: null },
        ],
      },
    ],
    '/referrals': [
      ...many((place) => ({ id: 100 + place, email: 'nobody@example.com', uid: null, promoter })),
      {
        id: 21,
        email: 'one@example.com',
        uid: 'user_1',
        promoter_campaign: { id: 31, promoter_id: 11 },
        split_details: [{ promoter_campaign_id: 32, promoter_id: 12, percentage: 20 }],
      },
    ],
    '/commissions': [
      fpCommission(41, 'approved', 2_000, { is_paid: true }),
      fpCommission(42, 'pending', 500),
      fpCommission(43, 'denied', 100),
      fpCommission(44, 'approved', 5, { unit: 'points' }),
      fpCommission(45, 'thinking', 5),
    ],
  },
  page: byNumber('per_page', (rows) => ({ data: rows, meta: {} })),
};

const reward = (key: string, status: string, amount: number, more: object = {}) => ({
  key,
  amount,
  currency: 'USD',
  created_at: 1_768_000_000_000,
  reward_status: status,
  partnership: { key: 'part_1' },
  customer: { email: 'one@example.com', customer_key: 'user_1' },
  transaction: { amount: amount * 5 },
  invoice: { key: `inv_${key}` },
  test: false,
  ...more,
});

/** https://docs.partnerstack.com/reference */
export const partnerstackFixture: SourceFixture = {
  environment: {
    PARTNERSTACK_PUBLIC_KEY: 'pk_of_a_test',
    PARTNERSTACK_SECRET_KEY: 'sk_of_a_test',
    PARTNERSTACK_CURRENCY: 'usd',
  },
  headers: { authorization: `Basic ${Buffer.from('pk_of_a_test:sk_of_a_test').toString('base64')}` },
  lists: {
    '/partnerships': [
      { key: 'part_1', email: 'ana@example.com', first_name: 'Ana', last_name: 'Ünal', approved_status: 'approved' },
    ],
    '/links/partnership/part_1': [
      { key: 'lk_1', dest: 'https://shop.example.com/', url: 'https://example.partnerlinks.example.com/ana' },
    ],
    '/customers': [
      {
        key: 'c_1',
        customer_key: 'user_1',
        provider_key: 'cus_1001',
        name: 'One',
        email: 'one@example.com',
        partnership_key: 'part_1',
        test: false,
      },
      { key: 'c_2', customer_key: 'user_2', name: null, email: null, partnership_key: 'part_1', test: true },
    ],
    '/rewards': [
      reward('rw_1', 'approved', 2_000, { currency: undefined, payment_status: 'withdrawn' }),
      reward('rw_2', 'approved', 430),
      reward('rw_7', 'scheduled', 70),
      reward('rw_3', 'declined', 100),
      reward('rw_4', 'hold', 100),
      reward('rw_5', 'approved', 100, { test: true }),
      reward('rw_6', 'approved', 100, { payment_status: 'expired' }),
    ],
  },
  page(rows, query, path) {
    const status = query.get('status') ?? undefined;
    const isListed = (row: object) =>
      'reward_status' in row &&
      (status === undefined ? row.reward_status !== 'scheduled' : row.reward_status === status);
    return afterLast(
      (row) => (row as { key: string }).key,
      (items, hasMore) => ({ data: { items, has_more: hasMore }, message: 'ok', status: 200 }),
    )(path === '/rewards' ? rows.filter(isListed) : rows, query, path);
  },
};
