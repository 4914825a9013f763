import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSourceClient, type SourceClient } from '../../src/exchange/sources/client.ts';
import type { Source } from '../../src/exchange/sources/contract.ts';
import { dub } from '../../src/exchange/sources/dub/index.ts';
import { partnerstack } from '../../src/exchange/sources/partnerstack/index.ts';
import { tolt } from '../../src/exchange/sources/tolt/index.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { dubFixture } from './sources/dub.ts';

const ASKED_MAX = 50;

/** Reads everything, with at most 50 requests. */
async function readAll(source: Source, get: SourceClient['get']) {
  const asked: string[] = [];
  const client: SourceClient = {
    get(path, query) {
      asked.push(path);
      if (asked.length > ASKED_MAX) throw new Error('It reads forever');
      return get(path, query);
    },
  };
  const items = [];
  const credentials = { programId: 'prg_1', currency: 'USD' };
  for await (const item of source.read(client, { credentials, linkUrl: null })) items.push(item);
  return { asked, items };
}

describe.each([
  ['Tolt', tolt, (data: unknown[]) => ({ data, has_more: true })],
  ['PartnerStack', partnerstack, (items: unknown[]) => ({ data: { items, has_more: true } })],
] as const)('a list of %s that continues after the last record of a page', (_title, source, pageOf) => {
  it.each<[string, object]>([
    ['has no id', { email: 'ana@example.com' }],
    ['is that of the page before', { id: 'one', key: 'one' }],
  ])('ends the import if that record %s: it would be read forever', async (_what, last) => {
    const reading = readAll(source, async () => pageOf([{ id: 'a', key: 'a' }, last]));
    await expect(reading).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^\/\w+ /),
    });
  });
});

it('the commissions of a payout at Dub are read with one request if they fit into one answer', async () => {
  const get: SourceClient['get'] = async (path, query = {}) =>
    dubFixture.page(
      dubFixture.lists[path] ?? [],
      new URLSearchParams(Object.entries(query) as [string, string][]),
      path,
    );
  let ofPayouts = 0;
  await readAll(dub, (path, query = {}) => {
    if ('payoutId' in query) ofPayouts += 1;
    return get(path, query);
  });
  // one is paid, and one is being paid
  expect(ofPayouts).toBe(2);
});

describe('an answer that is not plain JSON', () => {
  const answers: string[] = [];
  // without a length, so that an answer that was cut off looks complete
  const server = createServer((_, response) => {
    response.writeHead(200, { connection: 'close' }).end(answers.shift() ?? '{"data":[]}');
  });
  let client: SourceClient;
  beforeAll(async () => {
    const apiUrl = await listenLocally(server);
    declareStub(apiUrl);
    const limit = { requests: 100, perMs: 1 };
    client = createSourceClient({ title: 'Dub', apiUrl, headers: {}, limit, wait: async () => {} });
  });
  afterAll(() => void server.close());

  it.each(['{"data":[{"id":"a', '[', ''])('is asked for again if it was cut off: %j', async (cut) => {
    answers.push(cut, cut);
    expect(await client.get('/partners')).toEqual({ data: [] });
  });

  it('is read without the byte order mark that some servers put before it', async () => {
    answers.push('\uFEFF{"data":[{"id":"a"}]}');
    expect(await client.get('/partners')).toEqual({ data: [{ id: 'a' }] });
  });

  it('is refused at once if it is something else, such as a page', async () => {
    answers.push('<html>Sign in</html>');
    await expect(client.get('/partners')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'Dub answered /partners with status 200: the answer is not JSON',
    });
    expect(answers).toEqual([]);
  });
});
