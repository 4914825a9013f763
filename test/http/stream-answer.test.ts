import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { RawReply, route } from '../../src/app/route.ts';
import { STALL_MS } from '../../src/http/connection-limits.ts';
import { RequestAborted } from '../../src/http/request-body.ts';
import { streamAnswer } from '../../src/http/stream-answer.ts';
import { createTestApp } from '../helpers/app.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { createOperator } from '../helpers/operators.ts';
import { createReferrer } from '../helpers/story.ts';

const CHUNK = 'x'.repeat(64 * 1024);
/** Much more than the sockets of both sides buffer. */
const CHUNKS = 2_000;

describe('an answer that is streamed', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** Requests the chunks; returns the response's start, how many chunks were read, and how sending ended. */
  async function open(stalledMs?: number) {
    const state = { readCount: 0, ended: false };
    async function* chunks() {
      try {
        for (; state.readCount < CHUNKS; state.readCount += 1) yield CHUNK;
      } finally {
        state.ended = true;
      }
    }
    const sent = Promise.withResolvers<unknown>();
    server = createServer((_request, response) => {
      streamAnswer(response, chunks(), stalledMs).then(() => sent.resolve('sent'), sent.resolve);
    });
    const url = await listenLocally(server);
    const incoming = await new Promise<IncomingMessage>((resolve) => {
      request(url, resolve).end();
    });
    incoming.on('error', () => {});
    return { incoming, state, sent: sent.promise };
  }

  /** How many chunks have been read once no more are. */
  async function settled(state: { readCount: number }): Promise<number> {
    let readAhead = -1;
    while (readAhead !== state.readCount) {
      readAhead = state.readCount;
      await sleep(200);
    }
    return readAhead;
  }

  it('is aborted when the client has gone before it begins', async () => {
    const sent = Promise.withResolvers<unknown>();
    server = createServer(async (incoming, response) => {
      incoming.destroy();
      if (!response.closed) await once(response, 'close');
      async function* chunks() {
        yield CHUNK;
      }
      streamAnswer(response, chunks()).then(() => sent.resolve('sent'), sent.resolve);
    });
    const url = await listenLocally(server);
    request(url)
      .on('error', () => {})
      .end();
    expect(await sent.promise).toBeInstanceOf(RequestAborted);
  });

  it('is complete', async () => {
    const { incoming, state, sent } = await open();
    let bytes = 0;
    for await (const chunk of incoming) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(CHUNKS * CHUNK.length);
    expect(await sent).toBe('sent');
    expect(state.ended).toBe(true);
  });

  it('waits for a client that reads slowly instead of reading ahead', async () => {
    const { incoming, state } = await open();
    const readAhead = await settled(state);
    expect(readAhead).toBeLessThan(CHUNKS / 4);
    incoming.destroy();
  });

  it('goes on for a client that reads 20 KB of it a second', async () => {
    const { incoming, state } = await open();
    let noticed = await settled(state);
    let unnoticedBytes = 0;
    const unnoticed: number[] = [];
    for await (const chunk of incoming) {
      unnoticedBytes += (chunk as Buffer).length;
      await sleep(5);
      if (state.readCount === noticed) continue;
      noticed = state.readCount;
      unnoticed.push(unnoticedBytes);
      unnoticedBytes = 0;
      if (unnoticed.length === 5) break;
    }
    expect((Math.max(...unnoticed) / 20_000) * 1_000).toBeLessThan(STALL_MS);
  });

  it('ends when the client goes away', async () => {
    const { incoming, state, sent } = await open();
    incoming.destroy();
    expect(await sent).toBeInstanceOf(RequestAborted);
    expect(state).toMatchObject({ ended: true });
    expect(state.readCount).toBeLessThan(CHUNKS);
  });

  it('ends when the client reads nothing for too long', async () => {
    const { state, sent } = await open(200);
    expect(await sent).toBeInstanceOf(RequestAborted);
    expect(state).toMatchObject({ ended: true });
    expect(state.readCount).toBeLessThan(CHUNKS);
  });
});

describe('an answer that is under way', () => {
  it('breaks off when its key is revoked, or its session or token has ended, and others go on', async () => {
    const released = Promise.withResolvers<void>();
    async function* chunks() {
      yield 'first';
      await released.promise;
      yield 'second';
    }
    const file = {
      method: 'GET',
      tag: 'Test',
      summary: 'Download a file',
      otherAnswers: [{ status: 200, description: 'The file.', contentTypes: ['text/plain'] }],
      run: async () => new RawReply(200, { 'Content-Type': 'text/plain' }, chunks()),
    } as const;
    const routes = [
      route({ ...file, operationId: 'getSlowFile', path: '/api/slow-file', credential: 'api-key' }),
      route({ ...file, operationId: 'getPortalFile', path: '/api/embed/slow-file', credential: 'embed-token' }),
    ];
    const app = await createTestApp('sqlite', { routes, trustProxy: 1 });
    const { partnerId } = await createReferrer(app);
    const { body: token } = await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId } });
    const { body: key } = await app.call('POST', '/api/api-keys', { body: { name: 'Revoked' } });
    const { cookie, call: callAsOperator } = await createOperator(app);
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
    const open = (path: string, headers: Record<string, string>) => fetch(app.url + path, { headers });
    const answers = await Promise.all([
      open('/api/slow-file', bearer(app.apiKey)),
      open('/api/slow-file', bearer(key.key)),
      open('/api/slow-file', { cookie }),
      open('/api/embed/slow-file', bearer(token.publicToken)),
    ]);
    const texts = answers.map((answer) => answer.text().catch(() => 'broken off'));
    await app.call('DELETE', `/api/api-keys/${key.id}`);
    await callAsOperator('DELETE', '/api/session');
    await app.call('DELETE', `/api/partners/${partnerId}/portal-access`);
    await sleep(1_000);
    released.resolve();
    expect(await Promise.all(texts)).toEqual(['firstsecond', 'broken off', 'broken off', 'broken off']);
    await app.close();
  });
});
