import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ReadBackfillPage } from '../../adapters/contract/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import type { Processor } from '../../src/core/processor.ts';
import { ServiceError } from '../../src/errors.ts';
import { type ApiServer, answerJson, serveApi } from './api-answers.ts';
import { requestTo } from './read-all.ts';
import { SHOP } from './shopify-api.ts';

const PROCESSORS = ['stripe', 'shopify', 'paddle', 'polar'] as const;
const TOKEN = 'the-access-token';
const MIB = 1024 * 1024;

interface Failure {
  error: ServiceError;
  api: ApiServer;
}

/** The last page of any list, without records. */
const EMPTY_PAGE = {
  object: 'list',
  has_more: false,
  orders: [],
  items: [],
  pagination: { max_page: 1 },
  data: [],
  meta: { pagination: { has_more: false } },
};

/** Reads the first page. */
async function read(processor: Processor, { api, accessToken = TOKEN }: { api: ApiServer; accessToken?: string }) {
  const { backfill } = await adapters[processor]();
  if (backfill === undefined) throw new Error(`${processor} reads nothing back`);
  const readPage: ReadBackfillPage = (await backfill()).readPage;
  const settings = { acceptTestEvents: false, apiUrl: api.url, shopDomain: SHOP };
  return readPage(requestTo(api.url, { settings, accessToken }));
}

/** Reads the first page of an API that answers in this way, which must fail without quoting the access token. */
async function failureOf(processor: Processor, answer: (response: ServerResponse) => unknown): Promise<Failure> {
  const api = await serveApi((_asked, response) => void answer(response));
  const error = await read(processor, { api }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`Not refused: ${String(error)}`);
  expect(error.message).not.toContain(TOKEN);
  return { error, api };
}

/** Writes until the reader has had enough; returns how much it wrote. */
async function writeForever(response: ServerResponse, chunk: Buffer | string): Promise<number> {
  let bytes = 0;
  const closed = new Promise((resolve) => response.once('close', resolve));
  while (!response.destroyed && bytes < 200 * MIB) {
    bytes += chunk.length;
    if (!response.write(chunk)) await Promise.race([closed, new Promise((resume) => response.once('drain', resume))]);
  }
  response.destroy();
  return bytes;
}

describe.each(PROCESSORS)('an answer of the API of %s', (processor) => {
  it('that has no end is not read to its end', async () => {
    let written: Promise<number> = Promise.resolve(0);
    const { error } = await failureOf(processor, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      written = writeForever(response, ' '.repeat(64 * 1024));
    });
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.message).toMatch(/more than 16 MiB/);
    expect(await written).toBeLessThan(64 * MIB);
  });

  it('that becomes too large when it is decompressed is not decompressed to its end', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * MIB, ' '));
    const before = process.memoryUsage().rss;
    const { error } = await failureOf(processor, (response) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
    );
    expect(error.message).toMatch(/more than 16 MiB/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB);
  });

  it('that comes byte by byte is not waited for longer than for any other', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(300));
    const { error } = await failureOf(processor, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const dripping = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(dripping));
    });
    expect(limits.mock.calls).toEqual([[20_000]]);
    limits.mockRestore();
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/: no answer within 20 s$/) });
  });

  it.each([301, 302, 303, 307, 308])('that redirects with status %i takes the access token nowhere', async (status) => {
    const other = await serveApi((_asked, response) => answerJson(response, {}));
    const { error, api } = await failureOf(processor, (response) =>
      response.writeHead(status, { location: `${other.url}/elsewhere` }).end(),
    );
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.message).toMatch(new RegExp(`status ${status}: a redirect, which is not followed$`));
    expect([api.asked.length, other.asked.length]).toEqual([1, 0]);
  });

  it.each<[string, Record<string, string>, number | undefined]>([
    ['without a time', {}, undefined],
    ['for seconds', { 'retry-after': '7' }, 7],
    ['for parts of a second', { 'retry-after': '2.5' }, 3],
    ['until a time', { 'retry-after': 'Mon, 30 Nov 2026 08:01:30 GMT', date: 'Mon, 30 Nov 2026 08:00:00 GMT' }, 90],
    [
      'until a time that has passed',
      { 'retry-after': 'Mon, 30 Nov 2026 07:00:00 GMT', date: 'Mon, 30 Nov 2026 08:00:00 GMT' },
      0,
    ],
    ['for a time that is none', { 'retry-after': 'soon' }, undefined],
    ['for less than nothing', { 'retry-after': '-5' }, undefined],
  ])('that asks to wait %s is temporary', async (_what, headers, retryAfterSeconds) => {
    const { error } = await failureOf(processor, (response) => answerJson(response, {}, 429, headers));
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/: status 429$/) });
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds);
  });

  it.each<[string, string, string]>([
    ['is a page of HTML', '<html><body>Log in</body></html>', 'text/html'],
    ['is half of its JSON', '{"data":[{"id":"x"', 'application/json'],
    ['is empty', '', 'application/json'],
    ['is binary', '\u0000\u0001\u0002', 'application/octet-stream'],
  ])('that %s, with status 200, is temporary', async (_what, body, type) => {
    const { error } = await failureOf(processor, (response) =>
      response.writeHead(200, { 'content-type': type }).end(body),
    );
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/the answer is not JSON/) });
  });

  it.each([
    ['an error', { error: { code: 'gone', message: TOKEN, type: 'x', detail: TOKEN }, errors: TOKEN }],
    ['a list of something else', { data: [null], items: [null], orders: [null], object: 'list', has_more: 'yes' }],
    ['a list', []],
    ['a text', TOKEN],
    ['nothing', null],
  ])('that is %s, with status 200, is no page', async (_what, body) => {
    const { api } = await failureOf(processor, (response) => answerJson(response, body));
    expect(api.asked).toHaveLength(1);
  });

  it.each([204, 206, 304])('with status %i is no page', async (status) => {
    const { error } = await failureOf(processor, (response) => response.writeHead(status).end());
    expect(error.message).toContain(String(status));
  });

  it.each([203, 503])('with status %i is no page, even if it looks like one', async (status) => {
    const { error } = await failureOf(processor, (response) => answerJson(response, EMPTY_PAGE, status));
    expect(error.message).toContain(`status ${status}`);
  });

  it('that is a page is parsed at most once, and not searched for an error', async () => {
    const text = JSON.stringify(EMPTY_PAGE);
    const [parse, exec] = [vi.spyOn(JSON, 'parse'), vi.spyOn(RegExp.prototype, 'exec')];
    onTestFinished(() => void [parse.mockRestore(), exec.mockRestore()]);
    const api = await serveApi((_asked, response) => answerJson(response, EMPTY_PAGE));
    await read(processor, { api });
    const parsed = parse.mock.calls.filter(([parsedText]) => parsedText === text);
    const searchedFor = exec.mock.contexts.filter((_, index) => exec.mock.calls[index]?.[0] === text).map(String);
    expect(parsed.length).toBeLessThanOrEqual(api.asked.length);
    expect(searchedFor.filter((pattern) => pattern.includes('error'))).toEqual([]);
  });

  it.each(['one\ntwo', 'tökén', 'two words'])('is not asked for with the access token %j', async (accessToken) => {
    const api = await serveApi((_asked, response) => answerJson(response, EMPTY_PAGE));
    const error: unknown = await read(processor, { api, accessToken }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/a character .*: set it again$/),
    });
    expect(String(error)).not.toContain(accessToken);
    expect(api.asked).toEqual([]);
  });
});

it('an answer of Shopify that is too large is asked for again with fewer orders', async () => {
  const { backfill } = await adapters.shopify();
  const order = { id: 1, created_at: '2026-11-02T00:00:00Z', note: 'x'.repeat(MIB) };
  const api = await serveApi(({ query }, response) => {
    answerJson(response, { orders: Array.from({ length: Number(query.limit) }, (_, id) => ({ ...order, id })) });
  });
  const settings = { acceptTestEvents: false, apiUrl: api.url, shopDomain: SHOP };
  const page = await (await backfill?.())?.readPage(requestTo(api.url, { settings }));
  expect(api.asked.map(({ query }) => query.limit)).toEqual(['50', '10']);
  expect(page?.deliveries).toHaveLength(10);
});
