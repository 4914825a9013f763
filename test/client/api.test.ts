import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type Api,
  type Client,
  ConflictError,
  ERROR_CLASSES,
  NotConfiguredError,
  NotFoundError,
  RefbridgeError,
  UnexpectedAnswerError,
  ValidationError,
} from '../../src/client/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { clientOf, errorOf, json, refusal } from './answering-fetch.ts';

describe('every declared route', () => {
  type AnyMethod = (...values: unknown[]) => PromiseLike<unknown>;
  const groupsOf = (client: Client) =>
    Object.values(client).filter((value): value is Record<string, AnyMethod> => typeof value === 'object');

  it('has a method that calls it, and no method calls anything else', async () => {
    const { client, sent } = clientOf([new Response('{}')], { retries: 0 });
    const methods = groupsOf(client).flatMap((group) => Object.values(group));
    // path parameters come first; parameters that a method does not take are its options, and change nothing there
    for (const method of methods) await method('a1', 'a2', {}, {}).then(null, () => null);
    const routes = createRoutes();
    const reached = sent.map(({ method, url }) => {
      const isCall = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, 'a[12]')}$`).test(url.pathname);
      const route = routes.find((candidate) => candidate.method === method && isCall(candidate.path));
      return `${method} ${route?.path ?? url.pathname}`;
    });
    expect(reached.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
    expect(methods.length).toBe(routes.length);
  });

  it('has the name that a reader would guess', () => {
    const { client } = clientOf([]);
    expect(Object.keys(client.partners)).toEqual(
      expect.arrayContaining(['create', 'list', 'get', 'update', 'getEarnings', 'createPortalLink']),
    );
    expect(Object.keys(client.payouts)).toEqual(expect.arrayContaining(['run', 'export', 'markPaid', 'cancel']));
    expectTypeOf(client.partners.get).returns.resolves.toEqualTypeOf<Api.Partner>();
    expectTypeOf(client.webhookEndpoints.delete).returns.resolves.toBeVoid();
  });
});

describe('a call', () => {
  it('puts its arguments where the route expects them', async () => {
    const { client, sent } = clientOf([json(200, { id: 'x' })]);
    await client.partners.update('a/b?c', { name: 'Anna' });
    await client.partners.getEarnings('ptr 1', { from: '2026-11-01', to: undefined });
    await client.webhooks.receive('stripe', 'whe_1', '{"id":  1}', { headers: { 'stripe-signature': 't=1' } });
    expect(sent.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
      'PATCH /api/partners/a%2Fb%3Fc',
      'GET /api/partners/ptr%201/earnings?from=2026-11-01',
      'POST /webhooks/stripe/whe_1',
    ]);
    expect(sent[0]).toMatchObject({
      body: '{"name":"Anna"}',
      headers: { authorization: 'Bearer rb_live_key', 'content-type': 'application/json' },
    });
    // the signature covers these exact bytes
    expect(sent[2]?.body).toBe('{"id":  1}');
    expect(sent[2]?.headers).toEqual({ 'content-type': 'application/json', 'stripe-signature': 't=1' });
  });

  it.each(['', '.', '..'])('for a resource with the id "%s" is refused, instead of reaching the list', async (id) => {
    const { client, sent } = clientOf([json(200, {})]);
    await expect(client.partners.get(id)).rejects.toThrow('id must be a non-empty string');
    expect(sent).toEqual([]);
  });

  it('takes an embed token, or no credential, in place of the key', async () => {
    const { client, sent } = clientOf([json(200, {})]);
    await client.portal.getTerms({ token: 'rb_embed_1' });
    await client.session.get({ token: null, headers: { cookie: 'session=1' } });
    await client.session.get({ headers: { Authorization: 'Bearer rb_live_other' } });
    await client.service.getLiveness();
    expect(sent.map(({ headers }) => headers)).toEqual([
      { authorization: 'Bearer rb_embed_1' },
      { cookie: 'session=1' },
      { authorization: 'Bearer rb_live_other' },
      {},
    ]);
  });

  it('returns the response itself when it is not JSON, and nothing for an empty answer', async () => {
    const { client } = clientOf([new Response('a,b', { status: 200 }), new Response(null, { status: 204 })]);
    let limit: string | null = '';
    expect(await (await client.payouts.export({ format: 'csv' })).text()).toBe('a,b');
    const onResponse = ({ headers }: Response) => {
      limit = headers.get('ratelimit');
    };
    expect(await client.apiKeys.revoke('key_1', { onResponse })).toBeUndefined();
    expect(limit).toBeNull();
  });

  it('of a client that is not configured is refused before anything is sent', async () => {
    const { client, sent } = clientOf([json(200, {})], { apiKey: undefined });
    expect(await errorOf(client.partners.get('ptr_1'))).toBeInstanceOf(NotConfiguredError);
    expect(sent).toEqual([]);
    // which needs no key
    await client.service.getLiveness();
    expect(sent).toHaveLength(1);
  });
});

describe('an error', () => {
  it.each(Object.keys(ERROR_STATUS) as ErrorCode[])('with the code %s has its own class', async (code) => {
    const { client } = clientOf([refusal(code, { 'x-request-id': 'req-1' })], { retries: 0 });
    const error = await errorOf(client.partners.create({ name: 'Anna', email: 'a@example.com' }));
    expect(error).toBeInstanceOf(ERROR_CLASSES[code]);
    expect(error).toMatchObject({ code, status: ERROR_STATUS[code], message: `It is ${code}`, requestId: 'req-1' });
    expect(error.name).toBe(error.constructor.name);
  });

  it('names every problem of the input', async () => {
    const details = [{ path: 'email', message: 'must be an e-mail address' }];
    const answer = { error: { code: 'VALIDATION_ERROR', message: 'email: must be …', details } };
    const error = await errorOf(clientOf([json(400, answer)]).client.partners.create({ name: 'A', email: 'b' }));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.details).toEqual(details);
  });

  it('of a newer service has the general class', async () => {
    const error = await errorOf(
      clientOf([json(422, { error: { code: 'TOO_LATE', message: 'Too late' } })]).client.partners.get('ptr_1'),
    );
    expect(error).toMatchObject({ name: 'RefbridgeError', code: 'TOO_LATE', status: 422 });
    expect(error.constructor).toBe(RefbridgeError);
  });

  it.each([
    ['a page in place of the service', new Response('<html>', { status: 200 })],
    ['a redirect', new Response(null, { status: 301, headers: { location: 'https://www.example.com' } })],
  ])('reports %s', async (_what, response) => {
    const { client, sent } = clientOf([response]);
    expect(await errorOf(client.partners.get('ptr_1'))).toBeInstanceOf(UnexpectedAnswerError);
    expect(sent).toHaveLength(1);
  });
});

const PAGE = (data: unknown[], nextCursor: string | null) => json(200, { data, nextCursor });

describe('a list', () => {
  const pages = () => [PAGE([{ id: 'a' }, { id: 'b' }], 'next 1'), PAGE([], 'next 2'), PAGE([{ id: 'c' }], null)];

  it('is every item when it is iterated, and each page is fetched when it is needed', async () => {
    const { client, sent } = clientOf(pages());
    const ids: string[] = [];
    const requests: number[] = [];
    for await (const { id } of client.sales.list({ partnerId: 'ptr_1', limit: 2 })) {
      ids.push(id);
      requests.push(sent.length);
    }
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(requests).toEqual([1, 1, 3]);
    expect(sent.map(({ url }) => url.search)).toEqual([
      '?partnerId=ptr_1&limit=2',
      '?partnerId=ptr_1&limit=2&cursor=next+1',
      '?partnerId=ptr_1&limit=2&cursor=next+2',
    ]);
  });

  it('is one page when it is awaited, and nothing is fetched before', async () => {
    const { client, sent } = clientOf(pages());
    const list = client.sales.list();
    expect(sent).toEqual([]);
    const { data, nextCursor } = await list;
    await list;
    expect([data.map(({ id }) => id), nextCursor, sent.length]).toEqual([['a', 'b'], 'next 1', 1]);
  });

  it('is its pages', async () => {
    const { client } = clientOf(pages());
    const sizes: number[] = [];
    for await (const page of client.sales.list().pages()) sizes.push(page.data.length);
    expect(sizes).toEqual([2, 0, 1]);
  });

  it('throws when a page fails', async () => {
    const { client } = clientOf([PAGE([{ id: 'a' }], 'next'), refusal('CONFLICT')]);
    const items = client.sales.list()[Symbol.asyncIterator]();
    expect((await items.next()).value).toEqual({ id: 'a' });
    await expect(items.next()).rejects.toBeInstanceOf(ConflictError);
    await expect(clientOf([refusal('NOT_FOUND')]).client.sales.list()).rejects.toBeInstanceOf(NotFoundError);
  });
});
