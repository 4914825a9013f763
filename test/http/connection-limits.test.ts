import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RawReply, type Route, route } from '../../src/app/route.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../helpers/app.ts';
import { openConnection } from '../helpers/raw-connection.ts';

const STALL_MS = 500;
/** So long that a busy machine does not look like a client that reads nothing. */
const SLOW_STALL_MS = 4_000;
const GET_LIVE = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
/** More than the operating system buffers for a connection that nobody reads. */
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');

const apps: TestApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function start(options: TestAppOptions): Promise<TestApp> {
  const app = await createTestApp('sqlite', { metrics: { kind: 'public' }, ...options });
  apps.push(app);
  return app;
}

async function cutCount(app: TestApp, reason: string): Promise<number> {
  const { text } = await app.call('GET', '/metrics');
  return Number(new RegExp(`refbridge_connections_cut_total\\{reason="${reason}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

describe('requests that one connection sends at once', () => {
  it('are all answered, in order, up to 16', async () => {
    const app = await start({});
    const connection = openConnection(app.url);
    connection.socket.write(GET_LIVE.repeat(16));
    await expect.poll(() => connection.received().match(/"status":"ok"/g)?.length).toBe(16);
    connection.socket.write(GET_LIVE.repeat(16));
    await expect.poll(() => connection.received().match(/"status":"ok"/g)?.length).toBe(32);
    connection.socket.destroy();
  });

  it('cut the connection when more are unanswered', async () => {
    const app = await start({ routes: [slowRoute()] });
    const connection = openConnection(app.url);
    connection.socket.write('GET /test/slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(17));
    expect(await connection.ended).toBe('');
    expect(await cutCount(app, 'pipelining')).toBe(1);
  });
});

describe('a client that does not read its answer', () => {
  it('is cut when it has taken nothing for the time limit', async () => {
    const app = await start({ routes: [largeRoute()], limits: { stallMs: STALL_MS } });
    const { hostname, port } = new URL(app.url);
    const socket = createConnection(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET /test/large HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => cutCount(app, 'stalled')).toBe(1);
    socket.destroy();
  });

  it('is not cut while it reads slowly', async () => {
    const app = await start({ routes: [largeRoute()], limits: { stallMs: SLOW_STALL_MS } });
    const { hostname, port } = new URL(app.url);
    const socket = createConnection(Number(port), hostname);
    socket.write('GET /test/large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const startedAt = performance.now();
    let byteCount = 0;
    for await (const chunk of socket) {
      byteCount += chunk.length;
      await sleep(20);
    }
    expect(performance.now() - startedAt).toBeGreaterThan(SLOW_STALL_MS);
    expect(byteCount).toBeGreaterThan(LARGE.length);
    expect(await cutCount(app, 'stalled')).toBe(0);
  });

  it('does not shorten the time that an answer may take, nor keep idle connections forever', async () => {
    const app = await start({ routes: [slowRoute()], limits: { stallMs: STALL_MS } });
    const connection = openConnection(app.url);
    connection.socket.write('GET /test/slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(connection.received).toContain('{"slow":true}');
    const idle = openConnection(app.url);
    expect(await idle.ended).toBe('');
    connection.socket.destroy();
  });
});

describe('connections of one address', () => {
  const PER_ADDRESS = 3;

  it('beyond the limit are refused until others close', async () => {
    const app = await start({ limits: { perAddressMax: PER_ADDRESS } });
    const connections = Array.from({ length: PER_ADDRESS }, () => openConnection(app.url));
    for (const { socket, received } of connections) {
      socket.write(GET_LIVE);
      await expect.poll(received).toContain('200 OK');
    }
    const refused = openConnection(app.url);
    expect(await refused.ended).toBe('');
    connections[0]?.socket.destroy();
    await connections[0]?.ended;
    await expect.poll(async () => (await fetch(`${app.url}/health/live`).catch(() => null))?.status).toBe(200);
    for (const { socket } of connections) socket.destroy();
  });

  it('are not counted when the address is a trusted proxy', async () => {
    const app = await start({ trustProxy: 'loopback', limits: { perAddressMax: PER_ADDRESS } });
    const connections = Array.from({ length: 2 * PER_ADDRESS }, () => openConnection(app.url));
    for (const { socket, received } of connections) {
      socket.write(GET_LIVE);
      await expect.poll(received).toContain('200 OK');
    }
    for (const { socket } of connections) socket.destroy();
  });
});

describe('a request', () => {
  const startedApp = () => start({});

  it.each([
    ['without Host', '', 'is required in HTTP/1.1'],
    ['with an empty Host', 'Host:\r\n', 'is required in HTTP/1.1'],
    ['with two Hosts', 'Host: x\r\nhost: x\r\n', 'must be sent once'],
  ])('%s is refused in JSON', async (_, headers, message) => {
    const app = await startedApp();
    for (const path of ['/api/links', '/webhooks/stripe/whe_1', '/health/live']) {
      const connection = openConnection(app.url);
      connection.socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n`);
      const [head = '', body = ''] = (await connection.ended).split('\r\n\r\n');
      expect(head).toContain('400 Bad Request');
      expect(head).toContain('application/json');
      expect(JSON.parse(body).error).toMatchObject({
        code: 'VALIDATION_ERROR',
        message: `Host: ${message}`,
      });
    }
  });

  it('without Host is answered in HTTP/1.0, which has none', async () => {
    const connection = openConnection((await startedApp()).url);
    connection.socket.write('GET /health/live HTTP/1.0\r\n\r\n');
    expect(await connection.ended).toContain('200 OK');
  });

  it('with an unknown Expect is refused in JSON', async () => {
    const connection = openConnection((await startedApp()).url);
    connection.socket.write('POST /api/links HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 2\r\n\r\n{}');
    const [head = '', body = ''] = (await connection.ended).split('\r\n\r\n');
    expect(head).toContain('417 Expectation Failed');
    expect(JSON.parse(body).error.code).toBe('EXPECTATION_FAILED');
  });
});

function slowRoute(): Route {
  return route({
    operationId: 'slow',
    method: 'GET',
    path: '/test/slow',
    credential: 'public',
    tag: 'Test',
    summary: 'Answer after three time limits',
    answer: z.object({ slow: z.boolean() }),
    async run() {
      await sleep(3 * STALL_MS);
      return { slow: true };
    },
  });
}

function largeRoute(): Route {
  return route({
    operationId: 'large',
    method: 'GET',
    path: '/test/large',
    credential: 'public',
    tag: 'Test',
    summary: 'Answer much',
    otherAnswers: [{ status: 200, description: 'Much.', contentTypes: ['text/plain'] }],
    run: async () => new RawReply(200, { 'Content-Type': 'text/plain' }, LARGE),
  });
}
