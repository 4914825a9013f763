import { describe, expect, it, vi } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/polar/backfill.ts';
import polar from '../../adapters/polar/index.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { answerJson, serveApi } from './api-answers.ts';
import { DEFAULT_SETTINGS, fixtureOf, loadFixtures } from './fixtures.ts';
import { EVENT_TYPES, type ListedRecord, polarRecord } from './polar-records.ts';
import { readAll, requestTo, SINCE, timeText, UNTIL } from './read-all.ts';

const FIXTURES = (await loadFixtures('polar')).filter(
  // no paid order is void
  ({ name, eventType }) => EVENT_TYPES.has(eventType) && !name.includes('void'),
);
const ORDER = polarRecord(await fixtureOf('polar', 'order.paid--renewal'));
const REFUND = polarRecord(await fixtureOf('polar', 'refund.updated--succeeded'));

interface Listed {
  orders?: ListedRecord[];
  refunds?: ListedRecord[];
}

/** Serves these records, in pages of `perPage`, in the order that was asked for. */
function serveRecords(lists: Listed, perPage = 100) {
  return serveApi(({ path, query }, response) => {
    const records = lists[path.split('/').at(-2) as keyof typeof lists] ?? [];
    const ordered = records.toSorted(
      (a, b) => (a.created_at < b.created_at ? -1 : 1) * (query.sorting === '-created_at' ? -1 : 1),
    );
    const start = (Number(query.page) - 1) * perPage;
    const pagination = { total_count: records.length, max_page: Math.ceil(records.length / perPage) };
    answerJson(response, { items: ordered.slice(start, start + perPage), pagination });
  });
}

async function readRecords(lists: Listed): Promise<DeliveryRequest[]> {
  const { url } = await serveRecords(lists);
  return (await readAll(readPage, url)).flatMap(({ deliveries }) => deliveries);
}

function bodyOf({ rawBody }: DeliveryRequest) {
  return JSON.parse(rawBody.toString('utf8'));
}

const idsOf = (deliveries: DeliveryRequest[]) => deliveries.map((delivery) => bodyOf(delivery).data.id);

function interpret(request: DeliveryRequest) {
  return polar.interpret(polar.read(request), request.headers, DEFAULT_SETTINGS);
}

describe('a record of Polar gives the facts of its event:', () => {
  it.each(FIXTURES.map((fixture) => [fixture.name, fixture] as const))('%s', async (_name, fixture) => {
    const record = polarRecord(fixture);
    const isOrder = fixture.eventType === 'order.paid';
    const [delivery] = await readRecords(isOrder ? { orders: [record] } : { refunds: [record] });
    if (delivery === undefined) throw new Error('nothing was read');
    const { type, timestamp, data } = bodyOf(delivery);
    expect(type.split('.')[0]).toBe(fixture.eventType.split('.')[0]);
    expect(data).toEqual(record);

    const sent = JSON.parse(fixture.rawBody.toString('utf8'));
    const event = isOrder ? { ...sent, timestamp } : sent;
    expect(interpret(delivery)).toEqual(interpret({ rawBody: Buffer.from(JSON.stringify(event)), headers: {} }));
  });

  it('with one difference: a payment has the time at which its order was created', async () => {
    const fixture = await fixtureOf('polar', 'order.paid--renewal');
    const [delivery] = await readRecords({ orders: [polarRecord(fixture)] });
    expect(delivery && bodyOf(delivery)).toMatchObject({ type: 'order.paid', timestamp: '2026-12-04T08:21:45.000Z' });
    expect(JSON.parse(fixture.rawBody.toString('utf8')).timestamp).toBe('2026-12-04T08:21:58.000000Z');
  });

  it('also when it is paid and was refunded since', async () => {
    const refunded = { ...ORDER, status: 'partially_refunded', refunded_amount: 1_000, refunded_tax_amount: 210 };
    const [before, after] = await readRecords({ orders: [ORDER, refunded] });
    expect(after && interpret(after)).toEqual(before && interpret(before));
  });

  it('with the headers of a webhook, except for its signature', async () => {
    const [delivery] = await readRecords({ refunds: [REFUND] });
    expect(delivery?.headers).toEqual({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^backfill_/),
      'webhook-timestamp': String(Math.floor(Date.parse('2026-11-14T13:00:02.500Z') / 1000)),
    });
    expect(delivery && polar.read(delivery)).toMatchObject({
      deliveryKey: delivery?.headers['webhook-id'],
      eventType: 'refund.updated',
    });
  });

  it('with every digit of a number in metadata', async () => {
    const text = JSON.stringify({ ...ORDER, metadata: { svcCustomerExternalId: 'LARGE', score: 'DECIMAL' } });
    const items = text.replace('"LARGE"', '9007199254740993').replace('"DECIMAL"', '1.50');
    const { url } = await serveApi(({ path }, response) => {
      response.end(`{"items":[${path === '/v1/orders/' ? items : ''}],"pagination":{"max_page":1}}`);
    });
    const [page] = await readAll(readPage, url);
    const [delivery] = page?.deliveries ?? [];
    expect(delivery?.rawBody.toString()).toContain(
      '"metadata":{"svcCustomerExternalId":9007199254740993,"score":1.50}',
    );
    const hint = { value: '9007199254740993', place: 'order.metadata.svcCustomerExternalId' };
    expect(delivery && interpret(delivery)).toMatchObject({
      facts: [{ customer: { externalIds: expect.arrayContaining([hint]) } }],
    });
  });
});

describe('reading from Polar', () => {
  const records = (record: ListedRecord, days: readonly number[], modifiedAt: string | null = null): ListedRecord[] =>
    days.map((day) => ({
      ...record,
      id: `record-${day}`,
      created_at: timeText(SINCE + day * DAY_MS),
      modified_at: modifiedAt,
    }));

  it('asks for orders by the time of their creation, then for refunds, page by page', async () => {
    const lists = { orders: records(ORDER, [3, 1, 2, 5, 4]), refunds: records(REFUND, [6, 8, 7]) };
    const { url, asked } = await serveRecords(lists, 2);
    const pages = await readAll(readPage, `${url}/proxy/`);
    expect(pages.map(({ deliveries }) => idsOf(deliveries))).toEqual([
      ['record-1', 'record-2'],
      ['record-3', 'record-4'],
      ['record-5'],
      ['record-8', 'record-7'],
      ['record-6'],
    ]);
    const orders = {
      created_after: '2026-10-02T00:00:00.000Z',
      created_before: '2027-02-01T00:00:00.000Z',
      sorting: 'created_at',
      limit: '100',
    };
    const refunds = { sorting: '-created_at', limit: '100' };
    expect(asked.map(({ path, query }) => [path, query])).toEqual([
      ['/proxy/v1/orders/', { ...orders, page: '1' }],
      ['/proxy/v1/orders/', { ...orders, page: '2' }],
      ['/proxy/v1/orders/', { ...orders, page: '3' }],
      ['/proxy/v1/refunds/', { ...refunds, page: '1' }],
      ['/proxy/v1/refunds/', { ...refunds, page: '2' }],
    ]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(Array(5).fill('Bearer the-access-token'));
    expect(asked[0]?.headers['polar-version']).toBe('2026-10');
  });

  it('finds nothing in an organization without records', async () => {
    expect(await readRecords({})).toEqual([]);
  });

  it('leaves out orders that are not paid', async () => {
    const unpaid = ['draft', 'pending', 'void'].map((status) => ({ ...ORDER, status, paid: false }));
    expect(await readRecords({ orders: unpaid })).toEqual([]);
  });

  it('leaves the status of a paid order to the adapter, which does not guess', async () => {
    const [delivery] = await readRecords({ orders: [{ ...ORDER, status: 'escheated' }] });
    expect(delivery && interpret(delivery).kind).toBe('unknown');
  });

  it('reads orders of the period, and those of 30 days before that changed in it', async () => {
    const orders = [
      ...records(ORDER, [-3, 1]),
      ...records(ORDER, [-29], timeText(SINCE)),
      ...records(ORDER, [-2], timeText(SINCE - 1)),
      ...records(ORDER, [93], timeText(UNTIL + DAY_MS)),
    ];
    expect(idsOf(await readRecords({ orders }))).toEqual(['record--29', 'record-1']);
  });

  it('reads refunds that changed in the period, and stops at those of 30 days before', async () => {
    const refunds = [
      ...records(REFUND, [-3, 1]),
      ...records(REFUND, [-4, -29, -31, -32], timeText(SINCE)),
      ...records(REFUND, [2], timeText(UNTIL + 1)),
    ];
    const { url, asked } = await serveRecords({ refunds }, 1);
    const read = (await readAll(readPage, url)).flatMap(({ deliveries }) => deliveries);
    expect(idsOf(read)).toEqual(['record-1', 'record--4', 'record--29', 'record--31']);
    expect(read.map((delivery) => bodyOf(delivery).type)).toEqual([
      'refund.created',
      ...Array(3).fill('refund.updated'),
    ]);
    expect(asked.filter(({ path }) => path === '/v1/refunds/')).toHaveLength(6);
  });

  it('asks the production API without another address', async () => {
    const empty = { items: [], pagination: { total_count: 0, max_page: 0 } };
    const fetching = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(empty));
    await readPage(requestTo(null));
    expect(String(fetching.mock.calls[0]?.[0])).toContain('https://api.polar.sh/v1/orders/?');
    fetching.mockRestore();
  });
});
