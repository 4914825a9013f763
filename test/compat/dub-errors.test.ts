import type { Dub } from 'dub';
import * as errors from 'dub/models/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCompatRoutes } from '../../src/http/routes.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

let app: TestApp;
let dub: Dub;
let referrer: Referrer;
beforeAll(async () => {
  app = await createTestApp('sqlite');
  dub = dubFor(app, app.apiKey);
  referrer = await createReferrer(app);
});
afterAll(() => app.close());

const lead = (clickId: string, customerExternalId = unique('user')) => ({
  clickId,
  eventName: 'Sign up',
  customerExternalId,
});

describe('the errors of the package dub', () => {
  it.each([
    ['an unknown click of a lead', () => dub.track.lead(lead('clk_unknown')), errors.NotFound, 'not_found'],
    [
      'an unknown click of a sale',
      () => dub.track.sale({ customerExternalId: 'user_x', amount: 1, clickId: 'clk_unknown' }),
      errors.NotFound,
      'not_found',
    ],
    ['no click and no such customer', () => dub.track.lead(lead('', 'nobody')), errors.NotFound, 'not_found'],
    [
      'a negative amount',
      () => dub.track.sale({ customerExternalId: 'user_x', amount: -1 }),
      errors.UnprocessableEntity,
      'unprocessable_entity',
    ],
    [
      'a currency that is none',
      () => dub.track.sale({ customerExternalId: 'user_x', amount: 1, currency: 'xyz' }),
      errors.UnprocessableEntity,
      'unprocessable_entity',
    ],
    [
      'a link of nobody',
      () => dub.links.create({ url: 'https://shop.example.com/' }),
      errors.UnprocessableEntity,
      'unprocessable_entity',
    ],
    ['no such link', () => dub.links.get({ linkId: 'lnk_x' }), errors.NotFound, 'not_found'],
    ['a call that is not offered', () => dub.analytics.retrieve({}), errors.NotFound, 'not_found'],
    ['a method that is not offered', () => dub.links.delete('lnk_x'), errors.NotFound, 'not_found'],
    ['a wrong key', () => dubFor(app, 'rb_live_wrong').links.list(), errors.Unauthorized, 'unauthorized'],
  ])('has its class for %s', async (_what, call, expected, code) => {
    const error = (await Promise.resolve(call()).then(
      () => null,
      (thrown: unknown) => thrown,
    )) as { error: { code: string; message: string } } | null;
    expect(error).toBeInstanceOf(expected);
    expect(error?.error.message.length).toBeGreaterThan(10);
    expect(error?.error.code).toBe(code);
  });

  it.each([
    ['tags of links', () => dub.links.list({ tagIds: 'tag_1' })],
    ['archived links, too', () => dub.links.list({ showArchived: true })],
    ['several partners', () => dub.commissions.list({ partnerId: 'ptr_1,ptr_2' })],
    ['all partners but one', () => dub.commissions.list({ partnerId: '-ptr_1' })],
    ['an interval', () => dub.commissions.list({ interval: '30d' })],
    ['an external id and an address', () => dub.customers.list({ externalId: 'x', email: 'x@example.com' })],
    ['an external id and a text', () => dub.customers.list({ externalId: 'x', search: 'x' })],
  ])('refuse a filter that would otherwise be ignored: %s', async (_what, call) => {
    await expect(call()).rejects.toBeInstanceOf(errors.UnprocessableEntity);
  });

  it('uses its class for a key without permission, a taken key and too many requests', async () => {
    const reader = await app.call('POST', '/api/api-keys', { body: { name: 'reader', scope: 'read' } });
    const reading = dubFor(app, reader.body.key);
    await expect(reading.track.lead(lead(await referrer.click()))).rejects.toBeInstanceOf(errors.Forbidden);
    const taken = { url: 'https://shop.example.com/', partnerId: referrer.partnerId, key: unique('taken') };
    await dub.links.create(taken);
    await expect(dub.links.create(taken)).rejects.toBeInstanceOf(errors.Conflict);

    const limited = await createTestApp('sqlite', { service: { rateLimitPerMinute: 2 } });
    const impatient = dubFor(limited, limited.apiKey);
    await impatient.links.list();
    await impatient.links.list();
    await expect(impatient.links.list()).rejects.toBeInstanceOf(errors.RateLimitExceeded);
    await limited.close();
  });

  it('store nothing, and reveal nothing of another account', async () => {
    const other = await app.addAccount('Other Ltd');
    const theirs = dubFor(app, other.apiKey);
    const clickId = await referrer.click();
    await expect(theirs.track.lead(lead(clickId))).rejects.toBeInstanceOf(errors.NotFound);
    await expect(theirs.links.get({ linkId: referrer.linkId })).rejects.toBeInstanceOf(errors.NotFound);
    await expect(theirs.links.update(referrer.linkId, { externalId: 'x' })).rejects.toBeInstanceOf(errors.NotFound);
    const url = 'https://shop.example.com/';
    const { partnerId } = referrer;
    await expect(theirs.links.create({ url, partnerId })).rejects.toBeInstanceOf(errors.NotFound);
    await expect(theirs.embedTokens.referrals({ partnerId })).rejects.toBeInstanceOf(errors.NotFound);
    expect(await theirs.partners.retrieveLinks({ partnerId })).toEqual([]);
    for (const { result } of [
      await theirs.links.list(),
      await theirs.customers.list(),
      await theirs.commissions.list(),
    ]) {
      expect(result).toEqual([]);
    }
    expect([await theirs.partners.list(), await theirs.payouts.list()]).toEqual([[], []]);
  });
});

describe('everything under /compat', () => {
  const post = (body: unknown, headers = {}) => app.call('POST', '/compat/dub/track/lead', { body, headers });
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it('needs a key, and says so in JSON', async () => {
    const routes = createCompatRoutes();
    expect(routes.length).toBeGreaterThan(15);
    for (const { method, path } of routes) {
      const answer = await app.call(method, path.replace(':id', 'x'), { key: null });
      expect([answer.status, answer.body], `${method} ${path}`).toEqual([
        401,
        { error: { code: 'unauthorized', message: 'Invalid or missing API key' } },
      ]);
    }
  });

  it.each([
    ['malformed JSON', () => post('{"clickId":'), 400, 'bad_request'],
    ['an array', () => post([]), 400, 'bad_request'],
    ['a NUL', () => post({ ...lead('x'), eventName: 'a\0b' }), 422, 'unprocessable_entity'],
    ['a NUL in the path', () => app.call('GET', '/compat/dub/customers/%00'), 404, 'not_found'],
    ['a path that cannot be decoded', () => app.call('GET', '/compat/dub/customers/%ZZ'), 400, 'bad_request'],
    ['too large a body', () => post({ x: 'y'.repeat(70_000) }), 413, 'bad_request'],
    ['text', () => post('hello', { 'content-type': 'text/plain' }), 415, 'bad_request'],
    ['no body', () => app.call('POST', '/compat/dub/track/sale'), 400, 'bad_request'],
    ['deep nesting', () => post(nested(2_000)), 422, 'unprocessable_entity'],
    ['deeper nesting than is parsed', () => post(nested(2_001)), 400, 'bad_request'],
    ['another path', () => app.call('POST', '/compat/dub/bounties'), 404, 'not_found'],
    ['the prefix alone', () => app.call('GET', '/compat/dub'), 404, 'not_found'],
  ])('answers %s in the shape of the package', async (_what, call, status, code) => {
    const answer = await call();
    expect([answer.status, answer.body]).toEqual([status, { error: { code, message: expect.any(String) } }]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('says what Refbridge does not offer', async () => {
    for (const [method, path] of [
      ['GET', '/compat/dub/tags'],
      ['DELETE', '/compat/dub/links/lnk_x'],
      ['PUT', '/compat/dub/links'],
      ['GET', '/compat/other'],
    ] as const) {
      const { status, body } = await app.call(method, path);
      expect([status, body.error.message]).toEqual([404, expect.stringContaining('not offered by Refbridge')]);
    }
  });
});
