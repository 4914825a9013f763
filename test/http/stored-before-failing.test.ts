import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

describe.each(engines)('a database that fails after it has stored a request, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let endpointId: string;
  let eventId: string;
  let clickId: string;
  beforeAll(async () => {
    app = await createTestApp(engine, {
      service: { events: { allowedHosts: new Set(['127.0.0.1']), retentionDays: 30 } },
    });
    referrer = await createReferrer(app);
    const body = { url: 'http://127.0.0.1:9/', types: ['lead.created'] };
    endpointId = (await app.call('POST', '/api/event-endpoints', { body })).body.id;
    clickId = await referrer.lead(unique('user'));
    eventId = (await app.call('GET', '/api/events')).body.data[0].id;
  });
  afterAll(() => app.close());

  let isFailing: 'always' | 'after a write' | 'never' = 'never';
  let hasWritten = false;
  beforeEach(() => {
    const { database } = app.service;
    const { write, read, report } = database;
    const failsNow = () => isFailing === 'always' || (isFailing === 'after a write' && hasWritten);
    const lost = () => unavailable('The connection to the database was lost');
    hasWritten = false;
    vi.spyOn(database, 'write').mockImplementation(async (unit, options) => {
      const result = await write(unit, options);
      hasWritten = true;
      return result;
    });
    vi.spyOn(database, 'read').mockImplementation(async (unit) => {
      if (failsNow()) throw lost();
      return read(unit);
    });
    vi.spyOn(database, 'report').mockImplementation(async (unit, options) => {
      if (failsNow()) throw lost();
      return report(unit, options);
    });
  });
  afterEach(() => {
    isFailing = 'never';
    vi.restoreAllMocks();
  });

  const toPartner = () => ({ partnerId: referrer.partnerId, url: 'https://shop.example.com/' });
  it.each<[string, string, () => object | undefined]>([
    ['POST', '/compat/dub/links', toPartner],
    ['POST', '/compat/dub/partners/links', toPartner],
    ['POST', '/api/event-endpoints/ENDPOINT/test', () => undefined],
    ['POST', '/api/events/EVENT/resend', () => ({})],
    // without an invoice id, a sale that is sent again counts twice
    ['POST', '/compat/dub/track/sale', () => ({ clickId, customerExternalId: unique('user'), amount: 5_000 })],
  ])('is not told to have stored nothing: %s %s', async (method, path, bodyOf) => {
    const named = path.replace('ENDPOINT', endpointId).replace('EVENT', eventId);
    isFailing = 'after a write';
    const { status, body, text } = await app.call(method, named, { body: bodyOf() });
    expect([status, hasWritten]).toEqual([503, true]);
    expect(text).not.toContain('Nothing was recorded');
    if (named.startsWith('/api')) expect(body.error.code).toBe('OUTCOME_UNKNOWN');
  });

  it.each([
    ['PATCH', '', { url: 'https://shop.example.com/other' }],
    ['POST', '/archive', undefined],
    ['POST', '/unarchive', undefined],
  ])('gets its answer when nothing is read after the change: %s of a link%s', async (method, action, body) => {
    isFailing = 'after a write';
    const answer = await app.call(method, `/api/links/${referrer.linkId}${action}`, { body });
    expect([answer.status, hasWritten]).toEqual([200, true]);
  });

  it('is told to have stored nothing when it fails before', async () => {
    await app.call('GET', '/api/links');
    isFailing = 'always';
    const { status, body } = await app.call('POST', '/api/event-endpoints/evep_none/resend', {
      body: { since: '2026-01-01T00:00:00Z' },
    });
    expect([status, body.error.code, hasWritten]).toEqual([503, 'UNAVAILABLE', false]);
  });
});
