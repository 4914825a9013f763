import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { openConnection } from '../helpers/raw-connection.ts';

const CONNECT = 'CONNECT /api/sales HTTP/1.1\r\nHost: x\r\n\r\n';

let app: TestApp;
let lines: string[];
beforeEach(async () => {
  const written: string[] = [];
  lines = written;
  app = await createTestApp('sqlite', { log: pino({ level: 'info' }, { write: (line) => written.push(line) }) });
});
afterEach(() => app.close());

it('a CONNECT is refused in JSON, with a line in the log, and its connection is closed', async () => {
  const connection = openConnection(app.url);
  connection.socket.write(CONNECT);
  const text = await connection.ended;
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/);
  const message = 'CONNECT is not supported: this server is no proxy';
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual({
    error: { code: 'VALIDATION_ERROR', message, details: [{ path: '', message }] },
  });
  const [, requestId] = /X-Request-Id: (\S+)/.exec(text) ?? [];
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ requestId, status: 400, code: 'VALIDATION_ERROR', reason: message }),
  ]);
});

it('a CONNECT behind a request whose answer is not sent yet ends the connection, which nobody watches any more', async () => {
  const connection = openConnection(app.url);
  // larger than what the system sends for a client that does not read
  const page = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8);
  connection.socket.pause();
  connection.socket.write(`${page}${CONNECT.replace('Host: x', 'Host: x\r\nX-Request-Id: tunnel-1')}`);
  await expect.poll(() => lines.map((line) => JSON.parse(line).requestId)).toContain('tunnel-1');
  connection.socket.resume();
  expect(await connection.ended).not.toContain('400 Bad Request');
});

it('a CONNECT after an answer is refused like any other, with the id that it sent', async () => {
  const connection = openConnection(app.url);
  connection.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(connection.received).toContain('200 OK');
  connection.socket.write(CONNECT.replace('Host: x', 'Host: x\r\nX-Request-Id: tunnel-2'));
  const answers = (await connection.ended).match(/HTTP\/1\.1 \d+|X-Request-Id: tunnel-2/g);
  expect(answers).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400', 'X-Request-Id: tunnel-2']);
});

it('a client that resets its connection after a CONNECT stops nothing', async () => {
  const connection = openConnection(app.url);
  // it does not close its side when the server does
  connection.socket.allowHalfOpen = true;
  connection.socket.write(CONNECT);
  await expect.poll(connection.received).toContain('400 Bad Request');
  connection.socket.resetAndDestroy();
  await connection.ended;
  expect((await app.call('GET', '/health/live')).status).toBe(200);
});

it.each([
  ['BREW /api/sales HTTP/1.1\r\nHost: x\r\n\r\n', 'Invalid method encountered'],
  [
    'POST /api/sales HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    "Transfer-Encoding can't be present with Content-Length",
  ],
])('what is not valid HTTP is refused with the reason: %j', async (request, reason) => {
  const connection = openConnection(app.url);
  connection.socket.write(request);
  expect(await connection.ended).toContain(`The request is not valid HTTP: ${reason}`);
  expect(JSON.parse(lines[0] ?? '').reason).toContain(reason);
});
