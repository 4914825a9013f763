import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/paddle/backfill.ts';
import paddle from '../../adapters/paddle/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/time.ts';
import { answerJson, serveApi } from './api-answers.ts';
import { DEFAULT_SETTINGS, fixtureOf, loadFixtures } from './fixtures.ts';
import { EVENT_TYPES, type Listed, type ListedRecord, listedOf, paddleRecord } from './paddle-records.ts';
import { readAll, requestTo, SINCE, timeText, UNTIL } from './read-all.ts';

const FIXTURES = (await loadFixtures('paddle')).filter(
  // the simulator makes events without records
  ({ name, eventType }) => EVENT_TYPES.has(eventType) && !name.includes('simulated'),
);

const TRANSACTION = await fixtureOf('paddle', 'transaction.completed--renewal');
const ADJUSTMENT = await fixtureOf('paddle', 'adjustment.updated--refund-approved-partial');

function answerList(response: ServerResponse, data: unknown[], hasMore = false): void {
  const next = 'https://api.paddle.com/elsewhere?after=unused';
  answerJson(response, { data, meta: { request_id: 'r', pagination: { per_page: 30, next, has_more: hasMore } } });
}

/** Serves these records, in pages of `perPage`, in the order that was asked for. */
function serveRecords(lists: Listed, perPage = 30) {
  return serveApi(({ path, query }, response) => {
    const records = lists[path.split('/').at(-1) as keyof typeof lists] ?? [];
    const isDescending = query.order_by === 'id[DESC]';
    const ordered = records.toSorted((a, b) => (a.id < b.id ? -1 : 1) * (isDescending ? -1 : 1));
    const left = ordered.filter(({ id }) => !query.after || (isDescending ? id < query.after : id > query.after));
    answerList(response, left.slice(0, perPage), left.length > perPage);
  });
}

function bodyOf({ rawBody }: DeliveryRequest) {
  return JSON.parse(rawBody.toString('utf8'));
}

function interpret(request: DeliveryRequest) {
  return paddle.interpret(paddle.read(request), request.headers, DEFAULT_SETTINGS);
}

async function readRecords(lists: Listed): Promise<DeliveryRequest[]> {
  const { url } = await serveRecords(lists);
  return (await readAll(readPage, url)).flatMap(({ deliveries }) => deliveries);
}

describe('a record of Paddle gives the facts of its event:', () => {
  it.each(FIXTURES.map((fixture) => [fixture.name, fixture] as const))('%s', async (_name, fixture) => {
    const deliveries = await readRecords(listedOf(fixture));
    const delivery = deliveries.at(fixture.eventType.startsWith('customer') ? 0 : -1);
    if (delivery === undefined) throw new Error('nothing was read');
    const { event_type: type, occurred_at: occurredAt, data } = bodyOf(delivery);
    expect(type.split('.')[0]).toBe(fixture.eventType.split('.')[0]);
    expect(data).toEqual(paddleRecord(fixture));

    const sent = JSON.parse(fixture.rawBody.toString('utf8'));
    const isTimed = sent.data.payments?.length !== 0 || sent.data.collection_mode === 'manual';
    const event = isTimed ? sent : { ...sent, occurred_at: occurredAt };
    expect(interpret(delivery)).toEqual(interpret({ rawBody: Buffer.from(JSON.stringify(event)), headers: {} }));
    expect(paddle.read(delivery).deliveryKey).toMatch(/^backfill_/);
  });

  it('with one difference: a checkout that charges nothing has the time at which it was billed', async () => {
    const fixture = await fixtureOf('paddle', 'transaction.completed--trial');
    const [delivery] = await readRecords(listedOf(fixture));
    expect(delivery && bodyOf(delivery)).toMatchObject({ occurred_at: '2026-11-08T13:59:20.000Z' });
    expect(JSON.parse(fixture.rawBody.toString('utf8')).occurred_at).toBe('2026-11-08T14:00:05.000000Z');
  });

  it('but leaves out a customer id that is too large for a number, rather than naming another customer', async () => {
    const record = paddleRecord(await fixtureOf('paddle', 'transaction.completed--renewal'));
    const text = JSON.stringify({ ...record, custom_data: { svcCustomerExternalId: 'LARGE' } });
    const { url } = await serveApi(({ path }, response) => {
      const data = path === '/transactions' ? text.replace('"LARGE"', '9007199254740993') : '';
      response.end(`{"data":[${data}],"meta":{"pagination":{"has_more":false}}}`);
    });
    const [page] = await readAll(readPage, url);
    const [delivery] = page?.deliveries ?? [];
    expect(delivery && interpret(delivery)).toMatchObject({ facts: [{ customer: { externalIds: [] } }] });
  });
});

describe('reading from Paddle', () => {
  const records = (kind: 'txn' | 'adj', count: number, changes = {}): ListedRecord[] =>
    Array.from({ length: count }, (_, index) => ({
      ...paddleRecord(kind === 'txn' ? TRANSACTION : ADJUSTMENT),
      id: `${kind}_${index + 1}`,
      ...changes,
    }));

  it('asks for completed transactions by the time of their last change, then for adjustments, page by page', async () => {
    const { url, asked } = await serveRecords({ transactions: records('txn', 5), adjustments: records('adj', 3) }, 2);
    const pages = await readAll(readPage, `${url}/proxy/`);
    expect(pages.map(({ deliveries }) => deliveries.map((delivery) => bodyOf(delivery).data.id))).toEqual([
      ['txn_1', 'txn_2'],
      ['txn_3', 'txn_4'],
      ['txn_5'],
      ['adj_3', 'adj_2'],
      ['adj_1'],
    ]);
    const transactions = {
      status: 'completed',
      'updated_at[GTE]': '2026-11-01T00:00:00.000Z',
      order_by: 'id[ASC]',
      per_page: '30',
      include: 'customer',
    };
    const adjustments = { order_by: 'id[DESC]', per_page: '200' };
    expect(asked.map(({ path, query }) => [path, query])).toEqual([
      ['/proxy/transactions', transactions],
      ['/proxy/transactions', { ...transactions, after: 'txn_2' }],
      ['/proxy/transactions', { ...transactions, after: 'txn_4' }],
      ['/proxy/adjustments', adjustments],
      ['/proxy/adjustments', { ...adjustments, after: 'adj_2' }],
    ]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(Array(5).fill('bearer the-access-token'));
  });

  it('finds nothing in an account without records', async () => {
    expect(await readRecords({})).toEqual([]);
  });

  it('leaves out what happened before the period, payments an hour before it, or after it', async () => {
    const at = (time: number) => ({
      payments: [{ status: 'captured', captured_at: timeText(time) }],
      updated_at: timeText(UNTIL - 1),
    });
    const times = [SINCE - DAY_MS, SINCE, UNTIL, UNTIL + 1];
    const transactions = [...times, SINCE - HOUR_MS].flatMap((time, index) =>
      records('txn', 1, { ...at(time), id: `txn_${index}` }),
    );
    const adjustments = times.flatMap((time, index) =>
      records('adj', 1, { updated_at: timeText(time), id: `adj_${index}` }),
    );
    const read = await readRecords({ transactions, adjustments });
    expect(read.map((delivery) => bodyOf(delivery).data.id)).toEqual(['txn_1', 'txn_2', 'txn_4', 'adj_2', 'adj_1']);
  });

  it('reads a customer with the transaction, if the customer changed in the period', async () => {
    const { data } = JSON.parse((await fixtureOf('paddle', 'customer.created')).rawBody.toString('utf8'));
    const earlier = { ...data, id: 'ctm_earlier', updated_at: timeText(SINCE - 1) };
    const [first, second] = records('txn', 2);
    const read = await readRecords({
      transactions: [
        { ...first, id: 'txn_1', customer: data },
        { ...second, id: 'txn_2', customer: earlier },
      ],
    });
    expect(read.map((delivery) => bodyOf(delivery).event_type)).toEqual([
      'customer.created',
      'transaction.completed',
      'transaction.completed',
    ]);
  });

  it('stops at adjustments that were made half a year before the period', async () => {
    const made = (daysBefore: number) => ({
      created_at: timeText(SINCE - daysBefore * DAY_MS),
      updated_at: timeText(SINCE),
      id: `adj_${500 - daysBefore}`,
    });
    const adjustments = [181, 182, 179, 10].flatMap((days) => records('adj', 1, made(days)));
    const { url, asked } = await serveRecords({ adjustments }, 1);
    const read = (await readAll(readPage, url)).flatMap(({ deliveries }) => deliveries);
    expect(read.map((delivery) => bodyOf(delivery).data.id)).toEqual(['adj_490', 'adj_321', 'adj_319']);
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['pdl_live_apikey_01example', 'https://api.paddle.com/'],
    ['pdl_sdbx_apikey_01example', 'https://sandbox-api.paddle.com/'],
  ])('chooses the environment by the key: %s', async (accessToken, start) => {
    const empty = { data: [], meta: { pagination: { has_more: false } } };
    const fetching = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(empty));
    await readPage(requestTo(null, { accessToken }));
    expect(String(fetching.mock.calls[0]?.[0])).toContain(`${start}transactions?`);
    fetching.mockRestore();
  });
});
