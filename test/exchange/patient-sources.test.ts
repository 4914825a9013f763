import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSourceClient } from '../../src/exchange/sources/client.ts';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';

const MINUTE_MS = 60_000;

describe('a service that fails while an import reads it', () => {
  let server: LocalServer;
  let now = 0;
  /** The status of an answer at a time. */
  let statusAt: (ms: number) => number;
  let headers: Record<string, string> = {};
  beforeAll(async () => {
    server = await serveNode((_, response) => void response.writeHead(statusAt(now), headers).end('{}'));
  });
  afterAll(() => server.close());
  beforeEach(() => {
    now = 0;
    headers = {};
  });

  const client = () =>
    createSourceClient({
      title: 'Rewardful',
      apiUrl: server.url,
      headers: {},
      limit: { requests: 1_000, perMs: 1 },
      wait: async (ms) => {
        now += ms;
      },
    });

  it.each([500, 429])(
    'with %i for ten minutes is waited for, because another import would begin anew',
    async (status) => {
      statusAt = (ms) => (ms === 0 ? 200 : ms < 10 * MINUTE_MS ? status : 200);
      const { get } = client();
      await get('/first');
      now = 1;
      expect(await get('/second')).toEqual({});
    },
  );

  it.each([
    ['at once', '0'],
    ['in a second', '1'],
    ['at a time that has passed by the clock of this machine', 'Fri, 01 Jan 2016 00:00:00 GMT'],
  ])('for ten minutes and asks to be tried again %s is waited for, too', async (_, retryAfter) => {
    headers = { 'retry-after': retryAfter };
    statusAt = (ms) => (ms === 0 ? 200 : ms < 10 * MINUTE_MS ? 503 : 200);
    const { get } = client();
    await get('/first');
    now = 1;
    expect(await get('/second')).toEqual({});
  });

  it('with a wait that has a fraction is waited for as long as it says', async () => {
    headers = { 'retry-after': '100.5' };
    statusAt = (ms) => (ms === 0 ? 429 : 200);
    expect(await client().get('/first')).toEqual({});
    expect(now).toBeGreaterThanOrEqual(100_500);
  });

  it('for longer ends the import', async () => {
    statusAt = (ms) => (ms === 0 ? 200 : 500);
    const { get } = client();
    await get('/first');
    now = 1;
    await expect(get('/second')).rejects.toThrow('did not answer /second: status 500');
    expect(now).toBeLessThan(15 * MINUTE_MS);
  });

  it('with 429 from the beginning is waited for, because a dry run may have used up the limit', async () => {
    statusAt = (ms) => (ms < MINUTE_MS ? 429 : 200);
    expect(await client().get('/first')).toEqual({});
  });

  it('and has never answered is reported after half a minute, because the address may be wrong', async () => {
    statusAt = () => 500;
    await expect(client().get('/first')).rejects.toThrow('did not answer /first: status 500');
    expect(now).toBeLessThan(MINUTE_MS);
  });
});
