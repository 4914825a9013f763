import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AccountApi } from '../../src/cli/api/account-api.ts';
import { createRemoteApi } from '../../src/cli/api/remote-api.ts';
import { createRetryingApi } from '../../src/cli/api/retrying-api.ts';
import { importOnServer } from '../../src/cli/import/on-server.ts';
import { describeFailure } from '../../src/cli/terminal/failure.ts';
import { ServiceError } from '../../src/errors.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { declareStub } from '../helpers/test-servers.ts';

/** The pauses of the commands, in milliseconds; nobody waits for them here. */
const pauses = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));
const pausedMs = () => pauses.reduce((sum, ms) => sum + ms, 0);

const PART_BYTES = 1024 * 1024;
const SIX_MINUTES = 6 * 60_000;

describe('a remote server', () => {
  const server = createServer();
  let api: AccountApi;
  beforeAll(async () => {
    const url = await listenLocally(server);
    declareStub(url);
    api = createRemoteApi({ url, apiKey: 'key', keyFrom: '--api-key' });
  });
  afterEach(() => {
    vi.useRealTimers();
    pauses.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const parameters = { id: 'imp_1' };
  const nextResponse = async () => ((await once(server, 'request')) as [unknown, ServerResponse])[1];

  it('may take as long as it needs for a file, but not until its answer begins', async () => {
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
    vi.advanceTimersByTime(SIX_MINUTES);
    expect(await failed).toMatchObject({ message: expect.stringContaining('does not answer') });
  });

  it('says when to retry after too many requests', async () => {
    const asked = nextResponse();
    const refused = api.call('getImport', { parameters }).catch((error: unknown) => error);
    const body = JSON.stringify({ error: { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests' } });
    (await asked).writeHead(429, { 'content-type': 'application/json', 'retry-after': '3' }).end(body);
    expect(await refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 3 });
  });

  it('says that a change may be done when its answer is lost on the way', async () => {
    const answers: ((response: ServerResponse) => unknown)[] = [
      (response) => response.writeHead(200, { 'content-length': '100' }).write('{"id"', () => response.destroy()),
      (response) => response.writeHead(504).end('<h1>Gateway Timeout</h1>'),
    ];
    for (const answer of answers) {
      for (const [operationId, isChange] of [
        ['createAdjustment', true],
        ['listLedgerEntries', false],
      ] as const) {
        const asked = nextResponse();
        const failed = api.call(operationId, {}).catch((error: unknown) => error);
        answer(await asked);
        const { text, exitCode } = describeFailure(await failed);
        expect([exitCode, text.includes('check before you repeat it')]).toEqual([3, isChange]);
      }
    }
  });

  it('says that a file is incomplete when the connection breaks', async () => {
    const asked = nextResponse();
    const chunks = api.download('exportPayouts', {})[Symbol.asyncIterator]();
    const first = chunks.next();
    const response = await asked;
    response.write('x');
    await first;
    response.destroy();
    const { text, exitCode } = describeFailure(await chunks.next().catch((error: unknown) => error));
    expect([exitCode, text]).toEqual([3, expect.stringContaining('The file is incomplete')]);
  });

  it('may refuse with a code that only a newer version knows', async () => {
    const asked = nextResponse();
    const refused = api.call('getImport', { parameters }).catch((error: unknown) => error);
    (await asked).writeHead(409).end('{"error":{"code":"NEW_CODE","message":"It is too new"}}');
    const version = nextResponse();
    (await version).writeHead(200).end('{"name":"refbridge","version":"99.0.0"}');
    const { text, exitCode } = describeFailure(await refused);
    expect([exitCode, text]).toEqual([
      1,
      expect.stringMatching(/^It is too new \(NEW_CODE\)\. The server runs version 99/),
    ]);
  });

  it("is not asked for an import's progress again before that time", async () => {
    const ended = { id: 'imp_1', status: 'completed', endedAt: '2026-11-01T00:00:00.000Z' };
    const call = vi
      .fn()
      .mockResolvedValueOnce({ id: 'imp_1' })
      .mockRejectedValueOnce(new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests', { retryAfterSeconds: 3 }))
      .mockResolvedValueOnce(ended);
    const input = { source: 'dub', settings: { credentials: { key: 'k' } } } as const;
    const run = await importOnServer(createRetryingApi({ ...api, call: call as never }), {
      input,
      path: null,
      json: true,
    });
    expect(run).toEqual(ended);
    expect(pausedMs()).toBe(3_000);
    expect(call).toHaveBeenCalledTimes(3);
  });

  describe('when it receives a file in parts', () => {
    let folder: string;
    let path: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'refbridge-upload-'));
      path = join(folder, 'partners.csv');
      await writeFile(path, 'x'.repeat(2 * PART_BYTES));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));
    afterEach(() => {
      server.removeAllListeners('request');
    });

    const input = { source: 'csv', settings: { kind: 'partners', fileBytes: 2 * PART_BYTES } } as const;
    const ended = { id: 'imp_1', status: 'completed', endedAt: '2026-11-01T00:00:00.000Z' };
    const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const refusal = (code: string) => ({ error: { code, message: `It says ${code}` } });
    type Answer = (response: ServerResponse) => unknown;

    /** Answers the parts in turn, and the last answer forever; records which part was sent, and after which pauses. */
    function answerParts(...answers: Answer[]) {
      const asked: { part: string | null; bytes: number; at: number }[] = [];
      server.on('request', async (request, response) => {
        const at = pausedMs();
        let bytes = 0;
        for await (const chunk of request) bytes += chunk.length;
        if (request.method !== 'PUT') return json(response, 200, ended);
        asked.push({ part: new URL(request.url ?? '', 'http://x').searchParams.get('part'), bytes, at });
        return (answers.length > 1 ? answers.shift() : answers[0])?.(response);
      });
      return asked;
    }
    const taken: Answer = (response) => json(response, 200, { id: 'imp_1' });

    it('may ask for a pause, as may a proxy before it, and the terminal says why it waits', async () => {
      const asked = answerParts(
        taken,
        (response) => json(response, 429, refusal('RATE_LIMIT_EXCEEDED'), { 'retry-after': '2' }),
        (response) => response.writeHead(503, { 'retry-after': '1' }).end('<h1>Service Unavailable</h1>'),
        (response) => response.destroy(),
        taken,
      );
      const shown = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const realNow = performance.now.bind(performance);
      const now = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + pausedMs());
      const { isTTY } = process.stderr;
      process.stderr.isTTY = true;
      try {
        expect(await importOnServer(createRetryingApi(api), { input, path })).toEqual(ended);
        const lines = shown.mock.calls.map(([text]) => String(text)).join('\n');
        expect(lines).toContain('Waiting 2 s: It says RATE_LIMIT_EXCEEDED');
        expect(lines).toContain('trying again in 1 s: ');
      } finally {
        process.stderr.isTTY = isTTY;
        shown.mockRestore();
        now.mockRestore();
      }
      expect(asked.map(({ part, bytes }) => [part, bytes])).toEqual([
        ['1', PART_BYTES],
        ...Array.from({ length: 4 }, () => ['2', PART_BYTES]),
      ]);
      const [, limited = 0, unavailable = 0, cut = 0] = asked.map(({ at }) => at);
      expect([unavailable - limited, cut - unavailable]).toEqual([2_000, 1_000]);
    });

    it('gets a part again when its answer was lost, and already having the part is not an error', async () => {
      const asked = answerParts(
        taken,
        (response) => response.destroy(),
        (response) => json(response, 409, refusal('INVALID_STATE')),
      );
      expect(await importOnServer(createRetryingApi(api), { input, path, json: true })).toEqual(ended);
      expect(asked).toHaveLength(3);
    });

    it('is not retried forever, nor after a permanent refusal', async () => {
      for (const [status, code] of [
        [503, 'UNAVAILABLE'],
        [429, 'RATE_LIMIT_EXCEEDED'],
      ] as const) {
        pauses.length = 0;
        const busy = answerParts((response) => json(response, status, refusal(code), { 'retry-after': '1' }));
        await expect(importOnServer(createRetryingApi(api), { input, path, json: true })).rejects.toThrow(
          `It says ${code}`,
        );
        expect([busy.length, pausedMs()]).toEqual([8, 33_000]);
        server.removeAllListeners('request');
      }
      for (const code of ['INVALID_STATE', 'NOT_FOUND']) {
        const refused = answerParts((response) => json(response, 409, refusal(code)));
        await expect(importOnServer(createRetryingApi(api), { input, path, json: true })).rejects.toThrow(
          `It says ${code}`,
        );
        expect(refused).toHaveLength(1);
        server.removeAllListeners('request');
      }
    });
  });
});
