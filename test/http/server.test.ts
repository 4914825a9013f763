import { EventEmitter, once } from 'node:events';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { type Route, route } from '../../src/app/route.ts';
import { closeServer } from '../../src/http/server.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { beginPost, openConnection } from '../helpers/raw-connection.ts';
import { createLink } from '../helpers/visitors.ts';

/** Shorter than the server's own, which take long to wait for. */
const HEADERS_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 4_000;
/** The server checks every second. */
const CHECK_MS = 1_000;
const MIB = Buffer.alloc(1024 * 1024, 'x');

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite', { routes: [lengthRoute()] });
});
afterAll(() => app.close());

/** The parts of a raw answer. */
function readAnswer(text: string): { status: number; headers: string; code: string | undefined } {
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  const status = Number(headers.split(' ')[1]);
  return { status, headers, code: body === '' ? undefined : JSON.parse(body).error.code };
}

describe('a request that is not HTTP', () => {
  it.each([
    ['nonsense', 'HELLO\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length and chunks at once',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['a method that does not exist', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('is answered 400 in JSON: %s', async (_, text) => {
    const connection = openConnection(app.url);
    connection.socket.write(text);
    const answer = readAnswer(await connection.ended);
    expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.headers).toContain('Content-Type: application/json; charset=utf-8');
    expect(answer.headers).toContain('Connection: close');
  });

  it('is answered 431 in JSON when headers or the URL are too large', async () => {
    for (const text of [
      `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ]) {
      const connection = openConnection(app.url);
      connection.socket.write(text);
      const answer = readAnswer(await connection.ended);
      expect([answer.status, answer.code]).toEqual([431, 'HEADERS_TOO_LARGE']);
    }
  });

  it('behind a request that is not answered yet does not replace its answer', async () => {
    const connection = openConnection(app.url);
    connection.socket.write('GET /api/api-keys HTTP/1.1\r\nHost: x\r\n\r\n\0');
    const answer = readAnswer(await connection.ended);
    expect(answer).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      headers: expect.stringMatching(/Connection: close/i),
    });
  });

  it('after a valid request on the same connection does not corrupt its answer', async () => {
    const connection = openConnection(app.url);
    connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(connection.received).toContain('{"status":"ok"}');
    connection.socket.write('HELLO\r\n\r\n');
    const all = await connection.ended;
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  });
});

describe('a request target that is a whole URL', () => {
  it.each([
    ['http://x/api/api-keys', 401],
    ['HTTP://user:password@x:80/api/api-keys?limit=1', 401],
    ['http://[::1/api/api-keys', 401],
    ['http://a%zz/api/nothing', 404],
    ['http://x', 200],
    ['http://[::1?a=/b', 200],
  ])('is answered as its path, in JSON: %s', async (target, status) => {
    const connection = openConnection(app.url);
    connection.socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const answer = await connection.ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('Content-Type: application/json; charset=utf-8');
    expect(answer.includes('X-Request-Id: ')).toBe(status !== 200);
  });

  it('follows a link on its own host, not on that of the header', async () => {
    const { key } = await createLink(app, { domain: 'go.example.com' });
    const connection = openConnection(app.url);
    const head = `GET http://go.example.com/${key} HTTP/1.1\r\nHost: elsewhere.example.com\r\nConnection: close`;
    connection.socket.write(`${head}\r\n\r\n`);
    expect(await connection.ended).toMatch(/^HTTP\/1.1 302 /);
  });
});

describe('a body of a gigabyte', () => {
  it('is refused by its header when that declares its size', async () => {
    const connection = openConnection(app.url);
    connection.socket.write(`POST /webhooks/length HTTP/1.1\r\nHost: x\r\nContent-Length: ${1024 ** 3}\r\n\r\nx`);
    await expect.poll(connection.received).toContain('PAYLOAD_TOO_LARGE');
    expect(readAnswer(connection.received()).status).toBe(413);
    connection.socket.destroy();
  });

  it('is refused when it exceeds the limit, and is not buffered', async () => {
    const connection = openConnection(app.url);
    connection.socket.write('POST /webhooks/length HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const before = process.memoryUsage().rss;
    let answeredAfterMib = 0;
    for (let mib = 1; mib <= 1024; mib++) {
      if (connection.socket.destroyed) break;
      connection.socket.write(`${MIB.length.toString(16)}\r\n`);
      connection.socket.write(MIB);
      if (!connection.socket.write('\r\n')) {
        await Promise.race([once(connection.socket, 'drain').catch(() => undefined), connection.ended]);
      }
      if (answeredAfterMib === 0 && connection.received() !== '') answeredAfterMib = mib;
    }
    connection.socket.destroy();
    expect(readAnswer(connection.received())).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    expect(answeredAfterMib).toBeLessThan(32);
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  });

  it('that breaks off leaves the service running', async () => {
    for (const path of ['/webhooks/length', '/api/api-keys']) {
      const headers = { authorization: `Bearer ${app.apiKey}`, 'content-type': 'application/json' };
      const connection = await beginPost(app.url, path, 1000, headers);
      connection.socket.write('{"na');
      await new Promise((resolve) => setTimeout(resolve, 50));
      connection.socket.destroy();
    }
    expect((await app.call('GET', '/health/ready')).status).toBe(200);
  });
});

it('a server that closes answers all that the system lets wait for it, however long each takes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const closing = await createTestApp('sqlite');
  // one connection is accepted per turn of the event loop
  closing.server.on('request', () => vi.advanceTimersByTime(5));
  const connections = Array.from({ length: 512 }, () => openConnection(closing.url));
  for (const { socket } of connections) {
    socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  }
  // the sockets connect in the system, of which nobody hears before the event loop turns
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await closeServer(closing.server, 7_000);
  await closing.close();
  const answers = await Promise.all(connections.map(({ ended }) => ended));
  expect(answers.map((answer) => answer.slice(0, 15))).toEqual(Array(512).fill('HTTP/1.1 200 OK'));
});

it('a server that closes cuts connections at its deadline, also if it accepted others for a while', async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const startedAt = performance.now();
  let end: (() => void) | undefined;
  const close = (onClosed: () => void) => {
    end = onClosed;
  };
  const stuck = { close, closeIdleConnections() {}, closeAllConnections: () => end?.() };
  const server = Object.assign(new EventEmitter(), stuck) as unknown as Server;
  let isClosed = false;
  const closing = closeServer(server, 7_000).finally(() => {
    isClosed = true;
  });
  while (!isClosed) {
    server.emit('connection');
    await vi.advanceTimersByTimeAsync(100);
  }
  await closing;
  expect(performance.now() - startedAt).toBe(7_000);
});

describe('slow clients', () => {
  beforeAll(() => {
    expect(app.server).toMatchObject({ headersTimeout: 5_000, requestTimeout: 15_000 });
    Object.assign(app.server, { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS });
  });

  it('500 with slow headers and 200 with slow bodies are disconnected, and honest traffic is not affected', async () => {
    const slowHeaders = Array.from({ length: 500 }, () => {
      const connection = openConnection(app.url);
      connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      return connection;
    });
    const slowBodies = Array.from({ length: 200 }, () => {
      const connection = openConnection(app.url);
      connection.socket.write('POST /webhooks/length HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx');
      return connection;
    });
    const dripping = setInterval(() => {
      for (const { socket } of [...slowHeaders, ...slowBodies]) if (socket.writable) socket.write('x');
    }, 200);
    const ownMs = await startOwnTime();
    const startedAt = performance.now();
    const honest: number[] = [];
    const allEnded = Promise.all([...slowHeaders, ...slowBodies].map(({ ended }) => ended));
    let running = true;
    allEnded.then(() => {
      running = false;
    });
    while (running) {
      const answeredWithin = await startOwnTime();
      expect((await app.call('GET', '/api/api-keys')).status).toBe(200);
      honest.push(answeredWithin());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    clearInterval(dripping);
    const answers = (await allEnded).map(readAnswer);
    expect(answers.map(({ status, code }) => `${status} ${code}`)).toEqual(Array(700).fill('408 REQUEST_TIMEOUT'));
    expect(performance.now() - startedAt).toBeGreaterThan(HEADERS_TIMEOUT_MS);
    expect(ownMs()).toBeLessThan(REQUEST_TIMEOUT_MS + 5 * CHECK_MS);
    expect(Math.max(...honest)).toBeLessThan(2_000);
  });
});

function lengthRoute(): Route {
  return route({
    operationId: 'length',
    method: 'POST',
    path: '/webhooks/length',
    credential: 'signature',
    tag: 'Test',
    summary: 'Count the bytes',
    rawBody: true,
    body: z.custom<Buffer>(),
    answer: z.object({ byteCount: z.int() }),
    run: async (_context, { body }) => ({ byteCount: body.length }),
  });
}
