import { many } from './others.ts';
import type { SourceFixture } from './server.ts';

const dubPartner = { id: 'pn_1', name: 'Ana', email: 'ana@example.com', tenantId: 'user_ana', status: 'approved' };
const dubCustomer = { id: 'cus_dub_1', externalId: 'user_1', name: 'One', email: 'one@example.com' };
const dubCommission = (id: string, status: string, earnings: number, more: object = {}) => ({
  id,
  type: 'sale',
  amount: earnings * 5,
  earnings,
  currency: 'usd',
  status,
  invoiceId: `in_${id}`,
  createdAt: '2026-01-10T10:00:00.000Z',
  partner: dubPartner,
  customer: dubCustomer,
  ...more,
});

type DubRow = { id: string; status?: string; payoutId?: string; partner?: { id: string } | null };

/**
 * Pages by number are in the given order, and are refused from some number on. Those of payouts begin anew, because
 * many payouts have equal amounts, by which they are sorted. With a cursor, a list is in the order of
 * ids, the highest first.
 */
const dubPage: SourceFixture['page'] = (given, query, path) => {
  const [status, payoutId, partnerId] = ['status', 'payoutId', 'partnerId'].map((name) => query.get(name));
  const isHidden = (row: DubRow) => ['duplicate', 'fraud', 'canceled'].includes(row.status ?? '');
  const rows = (given as DubRow[]).filter((row) => {
    if (partnerId != null && row.partner?.id !== partnerId) return false;
    if (payoutId != null) return row.payoutId === payoutId;
    return status == null ? path !== '/commissions' || !isHidden(row) : row.status === status;
  });
  const [size, after, before] = ['pageSize', 'startingAfter', 'endingBefore'].map((name) => query.get(name));
  const byId = rows.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  if (after != null) return byId.filter(({ id }) => id < after).slice(0, Number(size));
  if (before != null) return byId.filter(({ id }) => id > before).slice(-Number(size));
  const page = Number(query.get('page') ?? 1);
  if (page > 1 && path === '/payouts') return rows.slice(0, Number(size) - 1);
  if (page > 1 && path !== '/partners') return { error: { message: 'Page is too big' } };
  return rows.slice((page - 1) * Number(size), page * Number(size));
};

/** https://dub.co/docs/api-reference */
export const dubFixture: SourceFixture = {
  environment: { DUB_API_KEY: 'dub_of_a_test' },
  headers: { authorization: 'Bearer dub_of_a_test' },
  lists: {
    '/partners': [
      ...many((place) => ({ id: `pn_0${place}`, name: 'No address', email: null, status: 'approved', links: null })),
      {
        ...dubPartner,
        links: [{ id: 'l_ana', domain: 'dub.sh', key: 'ana', url: 'https://shop.example.com/?via=ana' }],
      },
    ],
    '/customers': [
      ...many((place) => ({ id: `cus_dub_0${place}`, externalId: `stranger_${place}`, partner: null })),
      ...many((place) => ({ id: `cus_dub_2${place}`, externalId: `guest_${place}`, partner: null })),
      { ...dubCustomer, stripeCustomerId: 'cus_1001', partner: dubPartner },
    ],
    '/payouts': [
      ...many((place) => ({
        id: `po_0${place}`,
        amount: 0,
        currency: 'usd',
        status: 'canceled',
        paidAt: null,
        partner: { id: 'pn_00' },
      })),
      {
        id: 'po_1',
        amount: 2_000,
        currency: 'usd',
        status: 'completed',
        paidAt: '2026-02-10T10:00:00Z',
        partner: dubPartner,
      },
      { id: 'po_2', amount: 1, currency: 'usd', status: 'pending', paidAt: null, partner: dubPartner },
      { id: 'po_3', amount: 300, currency: 'usd', status: 'processing', paidAt: null, partner: dubPartner },
    ],
    '/commissions': [
      dubCommission('cm_1', 'paid', 2_000, { payoutId: 'po_1' }),
      dubCommission('cm_2', 'pending', 500),
      dubCommission('cm_3', 'fraud', 100),
      dubCommission('cm_4', 'hold', 100),
      dubCommission('cm_6', 'processed', 300, { payoutId: 'po_3' }),
      dubCommission('cm_5', 'pending', 70, { type: 'lead', amount: 0, customer: null, invoiceId: null }),
    ],
  },
  page: dubPage,
};
