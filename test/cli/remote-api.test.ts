import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AccountApi } from '../../src/cli/api/account-api.ts';
import { createRemoteApi } from '../../src/cli/api/remote-api.ts';
import { importOnServer } from '../../src/cli/import/on-server.ts';
import { ServiceError } from '../../src/errors.ts';
import { declareStub } from '../helpers/test-servers.ts';

const ELEVEN_MINUTES = 11 * 60_000;

describe('a server that is asked from afar', () => {
  const server = createServer();
  let api: AccountApi;
  beforeAll(async () => {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    declareStub(url);
    api = createRemoteApi({ url, apiKey: 'key', keyFrom: '--api-key' });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const parameters = { id: 'imp_1' };
  const nextResponse = async () => ((await once(server, 'request')) as [unknown, ServerResponse])[1];

  it('may take as long as it needs for a file, but not for the beginning of an answer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = nextResponse();
    const chunks = api.download('downloadExport', { parameters })[Symbol.asyncIterator]();
    const first = chunks.next();
    const response = await asked;
    response.write('x');
    expect((await first).value).toHaveLength(1);
    for (let minutes = 0; minutes <= 12; minutes += 2) {
      vi.advanceTimersByTime(2 * 60_000);
      response.write('x');
      expect((await chunks.next()).value).toHaveLength(1);
    }
    response.end();
    expect((await chunks.next()).done).toBe(true);

    const unanswered = nextResponse();
    const failed = api.call('getImport', { parameters }).catch((error: unknown) => error);
    await unanswered;
    vi.advanceTimersByTime(ELEVEN_MINUTES);
    expect(await failed).toMatchObject({ message: expect.stringContaining('does not answer') });
  });

  it('says when to ask again after too many requests', async () => {
    const asked = nextResponse();
    const refused = api.call('getImport', { parameters }).catch((error: unknown) => error);
    const body = JSON.stringify({ error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' } });
    (await asked).writeHead(429, { 'content-type': 'application/json', 'retry-after': '3' }).end(body);
    expect(await refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 3 });
  });

  it('is asked again then, and not before, how far an import is', async () => {
    const ended = { id: 'imp_1', status: 'completed', endedAt: '2026-11-01T00:00:00.000Z' };
    const call = vi
      .fn()
      .mockResolvedValueOnce({ id: 'imp_1' })
      .mockRejectedValueOnce(new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterSeconds: 3 }))
      .mockResolvedValueOnce(ended);
    const begun = performance.now();
    const input = { source: 'dub', settings: { credentials: { key: 'k' } } } as const;
    const run = await importOnServer({ ...api, call: call as never }, { input, path: null, json: true });
    expect(run).toEqual(ended);
    expect(performance.now() - begun).toBeGreaterThan(2_900);
    expect(call).toHaveBeenCalledTimes(3);
  });
});
