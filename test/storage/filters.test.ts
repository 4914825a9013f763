import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DELIVERY_STATUSES } from '../../src/core/delivery.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { ENTRY_KINDS } from '../../src/core/ledger.ts';
import { OUTCOMES } from '../../src/core/outcome.ts';
import { PAYOUT_STATUSES } from '../../src/core/payout.ts';
import { PAYMENT_PROCESSORS, PROCESSORS } from '../../src/core/processor.ts';
import { SALE_STATUSES } from '../../src/core/sale.ts';
import { REVIEWS } from '../../src/core/self-referral.ts';
import { findDeliveries } from '../../src/inbox/queries/list.ts';
import { findEntries } from '../../src/ledger/queries/list.ts';
import { findCustomers } from '../../src/payments/queries/list-customers.ts';
import { findLeads } from '../../src/payments/queries/list-leads.ts';
import { findSales } from '../../src/payments/queries/list-sales.ts';
import { findPayouts } from '../../src/payouts/queries/list.ts';
import type { Transaction } from '../../src/storage/database.ts';
import type { Filters, Narrowing, PageBounds } from '../../src/storage/list-filters.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';
import { FILLED_UNTIL, fillAccount, filledId } from '../helpers/filled-database.ts';
import { someOf } from '../helpers/rounds.ts';

const SALES = 4_100;
const DAY_MS = 86_400_000;
const accountId = filledId('acc', 1, 1) as AccountId;
const partners = [1, 2, 50].map((n) => filledId('ptr', 1, n));
const foreign = filledId('ptr', 2, 1);

/** What narrows the lists in this test: the second half of the history, and within it one link and currency. */
const FROM = FILLED_UNTIL - 400 * DAY_MS;
const TO = FILLED_UNTIL - 90 * DAY_MS;

type Row = Readonly<Record<string, unknown>> & { id: string };
type Find = (tx: Transaction, filters: Filters, bounds: PageBounds) => Promise<readonly Row[]>;

interface List {
  find: Find;
  /** The values of each filter, and the member of a row that shows them. */
  filters: Readonly<Record<string, { member: string; values: readonly string[] }>>;
}

const salesAt = (now: number): List => ({
  find: async (tx, filters, bounds) =>
    (await findSales(tx, accountId, filters, { ...bounds, now })).map((sale) => ({ ...sale })),
  filters: {
    status: { member: 'status', values: SALE_STATUSES },
    review: { member: 'review', values: REVIEWS },
    processor: { member: 'paymentProcessor', values: PAYMENT_PROCESSORS },
    partnerId: { member: 'partnerId', values: [...partners, foreign] },
    customerExternalId: { member: 'externalId', values: ['user_1', 'user_2', 'user_x'] },
    invoiceId: { member: 'invoiceId', values: ['in_2003', 'in_x'] },
  },
});

const LISTS: Readonly<Record<string, List>> = {
  sales: salesAt(FILLED_UNTIL),
  // while payouts under way contain sales that are still on hold
  'sales before the end of their hold': salesAt(FILLED_UNTIL - 90 * DAY_MS),
  leads: {
    find: async (tx, filters, bounds) => (await findLeads(tx, accountId, filters, bounds)).map((lead) => ({ ...lead })),
    filters: {
      customerExternalId: { member: 'externalId', values: ['user_1', 'user_x'] },
      partnerId: { member: 'partnerId', values: [...partners, foreign] },
    },
  },
  deliveries: {
    find: async (tx, filters, bounds) =>
      (await findDeliveries(tx, accountId, filters, bounds)).map((delivery) => ({ ...delivery })),
    filters: {
      endpointId: {
        member: 'endpointId',
        values: [...[1, 2, 3, 4].map((n) => filledId('whe', 1, n)), filledId('whe', 2, 1)],
      },
      processor: { member: 'processor', values: PROCESSORS },
      outcome: { member: 'outcome', values: OUTCOMES },
      status: { member: 'status', values: DELIVERY_STATUSES },
      saleId: { member: 'saleId', values: [7, 50, 3001].map((n) => filledId('sal', 1, n)) },
    },
  },
  'ledger entries': {
    find: async (tx, filters, bounds) =>
      (await findEntries(tx, accountId, filters, bounds)).map((entry) => ({ ...entry })),
    filters: {
      partnerId: { member: 'partnerId', values: [...partners, foreign] },
      saleId: { member: 'saleId', values: [7, 50, 3001].map((n) => filledId('sal', 1, n)) },
      payoutId: { member: 'payoutId', values: [1, 2, 1001, 1051, 999_999].map((n) => filledId('pay', 1, n)) },
      kind: { member: 'kind', values: ENTRY_KINDS },
    },
  },
  payouts: {
    find: async (tx, filters, bounds) =>
      (await findPayouts(tx, accountId, filters, bounds)).map((payout) => ({ ...payout })),
    filters: {
      partnerId: { member: 'partnerId', values: [...partners, foreign] },
      status: { member: 'status', values: PAYOUT_STATUSES },
    },
  },
};

const PREFIX: Readonly<Record<string, string>> = {
  leads: 'led',
  deliveries: 'dlv',
  'ledger entries': 'ent',
  payouts: 'pay',
};

describe.each(engines)('filters of lists on %s', (engine) => {
  let filled: TestDatabase;

  beforeAll(async () => {
    filled = await createTestDatabase(engine);
    await filled.database.write(async (tx) => {
      for (const account of [1, 2]) {
        await fillAccount((sql, parameters) => tx.run(sql, parameters), { account, sales: SALES / account });
      }
    });
  });
  afterAll(() => filled.remove());

  const shownBy = (row: Row, member = '') => (member === 'email' ? String(row.email).toLowerCase() : row[member]);

  async function allPages(
    list: List,
    prefix: string,
    filters: Filters,
    limit: number,
    narrowing?: Narrowing,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let beforeId = `${prefix}_z`; ; ) {
      const page = await filled.database.report((tx) => list.find(tx, filters, { beforeId, limit, narrowing }));
      expect(page.length).toBeLessThanOrEqual(limit);
      rows.push(...page);
      if (page.length < limit) return rows;
      beforeId = page.at(-1)?.id ?? '';
    }
  }

  /** Each value of each filter, alone and with each value of each other filter. */
  function combinationsOf({ filters }: List): Record<string, string>[] {
    const single = Object.entries(filters).flatMap(([name, { values }]) => values.map((value) => ({ name, value })));
    return single.flatMap((first) => [
      { [first.name]: first.value },
      ...single
        .filter((second) => second.name > first.name)
        .map((second) => ({ [first.name]: first.value, [second.name]: second.value })),
    ]);
  }

  it.each(Object.entries(LISTS))(
    '%s: a filter finds the rows that show its value, in order, over pages',
    async (name, list) => {
      const prefix = PREFIX[name] ?? 'sal';
      const everything = await allPages(list, prefix, {}, 5_000);
      expect(everything.length).toBeGreaterThan(1_000);
      for (const filters of someOf(combinationsOf(list))) {
        const expected = everything.filter((row) =>
          Object.entries(filters).every(([filter, value]) => row[list.filters[filter]?.member ?? ''] === value),
        );
        const limit = expected.length > 50 ? 700 : 7;
        const found = await allPages(list, prefix, filters, limit);
        expect({ filters, found: found.map(({ id }) => id) }).toEqual({ filters, found: expected.map(({ id }) => id) });
      }
    },
  );

  it.each([
    ...Object.entries(LISTS),
    ...Object.entries({
      customers: {
        find: async (tx: Transaction, filters: Filters, bounds: PageBounds) =>
          (await findCustomers(tx, accountId, filters, bounds)).map((customer) => ({ ...customer })),
        filters: { email: { member: 'email', values: ['u7@example.com'] } },
      } satisfies List,
    }),
  ])('%s: a period narrows each filter, with and without its start', async (name, list) => {
    const prefix = name === 'customers' ? 'cus' : (PREFIX[name] ?? 'sal');
    const members: List['filters'] = list.filters;
    const everything = await allPages(list, prefix, {}, 5_000);
    const timeOf = (row: Row) => Number(row.receivedAt ?? row.createdAt);
    const singles = combinationsOf(list).filter((filters) => Object.keys(filters).length === 1);
    for (const filters of [{}, ...someOf(singles)]) {
      for (const [fromAt, toAt] of [
        [FROM, TO],
        [0, TO],
        [FROM, Number.MAX_SAFE_INTEGER],
      ] as const) {
        const expected = everything.filter(
          (row) =>
            timeOf(row) >= fromAt &&
            timeOf(row) < toAt &&
            Object.entries(filters).every(([filter, value]) => shownBy(row, members[filter]?.member) === value),
        );
        const values = { programId: null, linkId: null, currency: null };
        const narrowing = { fromId: '', fromAt, toAt, values };
        const set = { ...filters, narrow: 'yes', ...(fromAt === 0 ? {} : { period: 'yes' }) };
        const limit = expected.length > 50 ? 700 : 7;
        const found = await allPages(list, prefix, set, limit, narrowing);
        expect({ set, fromAt, toAt, found: found.map(({ id }) => id) }).toEqual({
          ...{ set, fromAt, toAt },
          found: expected.map(({ id }) => id),
        });
      }
    }
  });

  it('a link and a currency narrow sales', async () => {
    const narrowedBy = async (name: string, prefix: string, values: Record<string, string | null>) => {
      const list = LISTS[name] as List;
      const narrowing = { fromId: '', fromAt: 0, toAt: Number.MAX_SAFE_INTEGER, values };
      return allPages(list, prefix, { narrow: 'yes' }, 5_000, narrowing);
    };
    const any = { programId: null, linkId: null, currency: null };
    const linkId = filledId('lnk', 1, 2);
    const ofLink = await narrowedBy('sales', 'sal', { ...any, linkId });
    expect(new Set(ofLink.map((sale) => sale.linkId))).toEqual(new Set([linkId]));
    expect(ofLink.length).toBeGreaterThan(100);
    expect(await narrowedBy('sales', 'sal', { ...any, currency: 'EUR' })).toEqual([]);
    expect((await narrowedBy('sales', 'sal', { ...any, currency: 'USD' })).length).toBe(SALES);
  });

  it('every status of sales occurs', async () => {
    for (const [name, list] of Object.entries(LISTS)) {
      if (!name.startsWith('sales')) continue;
      const shown = new Set((await allPages(list, 'sal', {}, 5_000)).map(({ status }) => status));
      expect([...shown].sort()).toEqual([...SALE_STATUSES].sort());
    }
  });
});
