import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SourceClient } from '../../src/exchange/sources/client.ts';
import { partnerstack } from '../../src/exchange/sources/partnerstack/index.ts';
import { rewardful } from '../../src/exchange/sources/rewardful/index.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, findings, moving } from './sources/moving.ts';
import { commission, rewardfulFixture } from './sources/rewardful.ts';
import type { SourceFixture } from './sources/server.ts';

const PAGE_SIZE = 100;
const OPTIONS = { credentials: { currency: 'USD' }, linkUrl: null };

/** The ids of the commissions that a source yields. */
async function commissionsIn(items: ReturnType<typeof rewardful.read>): Promise<string[]> {
  const ids: string[] = [];
  for await (const item of items) if (item.kind === 'commission') ids.push(item.id);
  return ids;
}

describe('a list at Rewardful from which records are deleted while it is read', () => {
  /** Serves commissions, the newest first; deletes the first ones before a page is asked for the first time. */
  function deleting(total: number, deletion: { page: number; count: number }): SourceClient {
    let rows = Array.from({ length: total }, (_, n) => commission(`com-${n}`, 'due', 100));
    let isDeleted = false;
    return {
      async get(path, { page: number = 1 } = {}) {
        const page = Number(number);
        if (path !== '/commissions') return { pagination: { next_page: null, total_count: 0 }, data: [] };
        if (page === deletion.page && !isDeleted) {
          rows = rows.slice(deletion.count);
          isDeleted = true;
        }
        const data = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
        const next = rows.length > page * PAGE_SIZE ? page + 1 : null;
        return { pagination: { next_page: next, count: data.length, total_count: rows.length }, data };
      },
    };
  }

  it.each([
    ['one of them', 250, { page: 2, count: 1 }],
    ['those of more than a page', 450, { page: 3, count: 120 }],
    ['so many that the next page is empty', 103, { page: 2, count: 3 }],
  ])('loses none of the others: %s', async (_, total, deletion) => {
    const ids = await commissionsIn(rewardful.read(deleting(total, deletion), OPTIONS));
    expect(new Set(ids).size).toBe(total);
  });
});

describe('a reward at PartnerStack that leaves the schedule while the lists are read', () => {
  it('is in one of them', async () => {
    let rewardRequests = 0;
    const client: SourceClient = {
      async get(path, { status } = {}) {
        if (path !== '/rewards') return { data: { items: [], has_more: false } };
        rewardRequests += 1;
        const isScheduled = rewardRequests === 1;
        const created = { amount: 500, currency: 'USD', created_at: Date.UTC(2026, 0, 10), partnership_key: 'part_1' };
        const reward = { key: 'rwd_1', reward_status: isScheduled ? 'scheduled' : 'pending', ...created };
        const items = (status === 'scheduled') === isScheduled ? [reward] : [];
        return { data: { items, has_more: false } };
      },
    };
    expect(await commissionsIn(partnerstack.read(client, OPTIONS))).toContain('rwd_1');
  });
});

describe.each(engines)('a payout at Rewardful that is paid while its commissions are read, on %s', (engine) => {
  let app: TestApp;
  let isPaid = false;
  beforeEach(async () => {
    app = await createTestApp(engine);
    isPaid = false;
  });
  afterEach(() => app.close());

  const [affiliate] = rewardfulFixture.lists['/affiliates'] ?? [];
  const payout = (state: 'due' | 'paid') => ({
    id: 'pay-1',
    amount: 2_000,
    currency: 'USD',
    state,
    paid_at: state === 'paid' ? '2026-02-10T10:00:00.000Z' : null,
    affiliate,
    commissions: [{ id: 'com-1' }, { id: 'com-2' }],
  });
  /** The payout is paid before the second page of commissions is asked for. */
  const pageWith =
    (before: readonly object[]): SourceFixture['page'] =>
    (given, query, path) => {
      const answer = (rows: readonly object[]) => rewardfulFixture.page(rows, query, path);
      if (path === '/payouts') return answer(isPaid ? [payout('paid')] : before);
      if (path !== '/commissions') return answer(given);
      isPaid ||= query.get('page') === '2';
      const [first, last] = ['com-1', 'com-2'].map((id) => commission(id, isPaid ? 'paid' : 'due', 1_000));
      return answer([first ?? {}, commission('com-3', 'due', 100), last ?? {}]);
    };
  const paidPayouts = async () => (await app.call('GET', '/api/payouts?status=paid')).body.data;

  describe('and that was due before', () => {
    const { run } = moving(() => app, rewardful, { ...rewardfulFixture, page: pageWith([payout('due')]) });

    it('contains all of them after the next import', async () => {
      expect((await run()).byKind.commission).toMatchObject({ created: 3, refused: 0 });
      expect((await run()).report).toMatch(/^payout,pay-1,unchanged,/m);
      expect(await paidPayouts()).toMatchObject([{ amount: 2_000 }]);
      expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ earned: 2_100, paid: 2_000 }]);
      expect(await findings(app)).toEqual([]);
    });
  });

  describe('and that did not exist before', () => {
    const { run } = moving(() => app, rewardful, { ...rewardfulFixture, page: pageWith([]) });

    it('is not to be adjusted for the commission that was read when it was paid', async () => {
      await run();
      const [{ id }] = await paidPayouts();
      const { report } = await run();
      expect(report).toMatch(
        new RegExp(`^payout,pay-1,refused,.*adjust the difference, unless it also paid .*${id}`, 'm'),
      );
      expect(await earningsOf(app, 'ana@example.com')).toMatchObject([{ earned: 2_100, paid: 2_000 }]);
    });
  });
});
