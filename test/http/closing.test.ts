import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closeServer } from '../../src/http/server.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { beginPost, openConnection } from '../helpers/raw-connection.ts';

it('a server that closes does not wait for connections on which nothing was sent, as browsers open them', async () => {
  const closing = await createTestApp('sqlite');
  const unused = openConnection(closing.url);
  const slow = openConnection(closing.url);
  slow.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n');
  const answered = openConnection(closing.url);
  answered.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await answered.ended;
  const closed = closeServer(closing.server, 10_000);
  expect(await unused.ended).toBe('');
  // its deadline, which the other one has, is far
  slow.socket.write('\r\n');
  expect(await slow.ended).toMatch(/^HTTP\/1\.1 200 OK/);
  await closed;
  await closing.close();
});

it('a server that closes does not wait for a client that keeps its side open after a request that cannot be read', async () => {
  const app = await createTestApp('sqlite');
  const { port, hostname } = new URL(app.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.write('not HTTP\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  const start = performance.now();
  await closeServer(app.server, 60_000);
  expect(performance.now() - start).toBeLessThan(50_000);
  socket.destroy();
  await app.close();
});

describe('a server that stops', () => {
  const headersOf = ({ apiKey }: TestApp) => ({
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
  });
  const keysOf = async ({ call }: TestApp) => (await call('GET', '/api/api-keys')).body.data.length;
  const creationOf = (app: TestApp) => {
    const lines = Object.entries(headersOf(app)).map(([name, value]) => `${name}: ${value}\r\n`);
    const body = '{"name":"Shop"}';
    return `POST /api/api-keys HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${lines.join('')}\r\n${body}`;
  };
  const WITHOUT_HOST = 'GET /health/live HTTP/1.1\r\n\r\n';

  it.each([
    ['several that arrive together', 3, (creation: string) => creation.repeat(3)],
    [
      'none that arrives behind an answer with which the connection ends',
      0,
      (creation: string) => WITHOUT_HOST + creation,
    ],
  ])('answers what it carries out: %s', async (_, count, requests) => {
    const app = await createTestApp('sqlite');
    const before = await keysOf(app);
    const connection = openConnection(app.url);
    app.lifecycle.draining = true;
    connection.socket.write(requests(creationOf(app)));
    const answers = await connection.ended;
    expect(answers.match(/^HTTP\/1\.1 201 Created\r$/gm) ?? []).toHaveLength(count);
    expect(answers.match(/^Connection: close\r$/gm)).toHaveLength(1);
    expect(await keysOf(app)).toBe(before + count);
    await app.close();
  });

  it('says that it closes a connection also to whom it answers a request from before', async () => {
    const app = await createTestApp('sqlite');
    const waiting = await beginPost(app.url, '/api/api-keys', 15, headersOf(app));
    app.lifecycle.draining = true;
    const closed = closeServer(app.server, 10_000);
    waiting.socket.write('{"name":"Shop"}');
    expect(await waiting.ended).toMatch(/\r\nHTTP\/1\.1 201 Created\r\n[\s\S]*^Connection: close\r$/m);
    await closed;
    await app.close();
  });
});
