import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstpromoter } from '../../src/exchange/sources/firstpromoter/index.ts';
import { rewardful } from '../../src/exchange/sources/rewardful/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createEndpoint, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { earningsOf, findings, moving } from './sources/moving.ts';
import { firstpromoterFixture } from './sources/others.ts';
import { rewardfulFixture } from './sources/rewardful.ts';

const [affiliate] = rewardfulFixture.lists['/affiliates'] as [{ id: string }];
const [earned] = rewardfulFixture.lists['/commissions'] as [{ sale: { referral: object } }];
const ofRewardful = { id: 'ref-9', stripe_customer_id: 'cus_9', deactivated_at: '2026-03-01T00:00:00Z', affiliate };

const promoter = { id: 11, email: 'ana@example.com' };
const ofFirstPromoter = (more: object) => ({ id: 21, uid: 'cus_9', promoter, ...more });
const fpLists = (referral: object) => ({
  ...firstpromoterFixture.lists,
  '/referrals': [referral],
  '/commissions': [
    {
      ...{ id: 41, status: 'approved', is_paid: true, amount: 2_500, sale_amount: 10_000, event_id: 'ch_9' },
      ...{ created_at: '2026-01-10T10:00:00Z', referral: { id: 21, uid: 'cus_9' }, promoter },
    },
  ],
});

describe.each([
  [
    'deactivated at Rewardful',
    rewardful,
    {
      ...rewardfulFixture,
      lists: {
        ...rewardfulFixture.lists,
        '/referrals': [ofRewardful],
        '/commissions': [{ ...earned, sale: { ...earned.sale, referral: ofRewardful } }],
      },
    },
  ],
  ...[{ state: 'denied' }, { state: 'moved' }, { state: 'signup', is_expired: true }].map(
    (end) =>
      [
        `${'is_expired' in end ? 'expired' : end.state} at FirstPromoter`,
        firstpromoter,
        { ...firstpromoterFixture, lists: fpLists(ofFirstPromoter(end)) },
      ] as const,
  ),
] as const)('a referral that is %s', (_title, source, fixture) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());
  const { run } = moving(() => app, source, fixture);

  it('keeps what it earned, and earns nothing by later payments', async () => {
    expect((await run()).report).toMatch(/^customer,[^,]*,left out,.*later payments earn nothing, unless an earlier/m);
    const stripe = await createEndpoint(app, 'stripe');
    const renewal = { invoice: unique('in'), customer: 'cus_9', subscription: unique('sub'), amount: 10_000 };
    expect((await stripe.deliver(invoicePaid(renewal))).body.outcome).toBe('unattributed');
    expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ earned: 2_500, payable: 0, paid: 2_500 }]);
    expect(await findings(app)).toEqual([]);
  });
});

describe('FirstPromoter', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());
  const bob = { id: 12, email: 'bob@example.com' };
  const shared = { ...(firstpromoterFixture.lists['/commissions']?.[0] as object), is_split: true };
  const { run, server } = moving(() => app, firstpromoter, {
    ...firstpromoterFixture,
    lists: {
      ...firstpromoterFixture.lists,
      '/promoters': [
        ...(firstpromoterFixture.lists['/promoters'] ?? []),
        {
          ...bob,
          promoter_campaigns: [
            { id: 33, state: 'accepted', ref_token: 'bob', ref_link: 'https://shop.example.com/?deal=spring&_go=bob' },
          ],
        },
      ],
      '/commissions': [
        // the order of a list says nothing
        { ...shared, id: 52, amount: 300, promoter_campaign: { id: 32, promoter: bob } },
        { ...shared, id: 51, amount: 1_700 },
        { ...shared, id: 54, amount: -700, sale_amount: -3_500, is_split: false },
        { ...shared, id: 53, amount: 200, tier: 2, is_split: false, promoter_campaign: { id: 32, promoter: bob } },
      ],
    },
  });

  it('several promoters earned by one payment: each keeps their share less refunds, and the first has the sale', async () => {
    expect(await run()).toMatchObject({ byKind: { commission: { created: 4, refused: 0 } } });
    expect(await run()).toMatchObject({ byKind: { commission: { unchanged: 4 } } });
    expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ earned: 1_000, paid: 1_000 }]);
    expect(await earningsOf(app, 'bob@example.com')).toMatchObject([{ earned: 500, paid: 500 }]);
    const { text } = await app.call('GET', '/api/payouts/export?format=csv&status=paid');
    expect(text).toMatch(/ana@example.com,-7.00,USD,1,paid/);
    const { data: sales } = (await app.call('GET', '/api/sales')).body;
    expect(sales).toMatchObject([{ partnerName: 'Ana Ünal', commissionAmount: 1_700 }]);
    expect(await findings(app)).toEqual([]);
  });

  it('links keep the parameter that they had, and their other ones', async () => {
    const { data: programs } = (await app.call('GET', '/api/programs')).body;
    expect(programs[0].viaParameters).toEqual(['via', 'fpr', '_go']);
    const { data: links } = (await app.call('GET', '/api/links?search=bob')).body;
    expect(links).toMatchObject([{ key: 'bob', url: 'https://shop.example.com/?deal=spring' }]);
  });

  it('links that were added there since work after another import', async () => {
    const added = { id: 34, state: 'accepted', ref_token: 'bob2', ref_link: 'https://shop.example.com/?deal=bob2' };
    server().lists['/promoters'] = [{ ...bob, promoter_campaigns: [added] }];
    expect(await run()).toMatchObject({ byKind: { program: { changed: 1 } } });
    const { viaParameters } = (await app.call('GET', '/api/programs')).body.data[0];
    expect(viaParameters).toEqual(['via', 'fpr', '_go', 'deal']);
  });
});

describe('a split commission at FirstPromoter, whose referral was moved after its payment counted here', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());
  const invoice = unique('in');
  const moved = { id: 41, status: 'approved', is_paid: false, is_split: true, amount: 2_000, sale_amount: 10_000 };
  const { server, run } = moving(() => app, firstpromoter, {
    ...firstpromoterFixture,
    lists: { ...fpLists(ofFirstPromoter({ state: 'active' })), '/commissions': [] },
  });

  it('is that sale, and is not counted again', async () => {
    await run();
    const stripe = await createEndpoint(app, 'stripe');
    await stripe.deliver(invoicePaid({ invoice, customer: 'cus_9', subscription: unique('sub'), amount: 10_000 }));
    const commission = {
      ...moved,
      event_id: invoice,
      created_at: '2026-03-10T10:00:00Z',
      referral: { id: 21 },
      promoter,
    };
    server().lists['/referrals'] = [ofFirstPromoter({ state: 'moved' })];
    server().lists['/commissions'] = [commission];
    expect((await run()).report).toMatch(/^commission,41,created,"the sale sal_\w+ already existed/m);
    // nor is a share whose referral was deleted there
    server().lists['/referrals'] = [];
    server().lists['/commissions'] = [{ ...commission, id: 42, amount: 1_000, referral: null }];
    expect((await run()).report).toMatch(/^commission,42,refused,.* its payment is the sale sal_\w+ here/m);
    expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ earned: 2_000 }]);
  });
});
