import { expect, it } from 'vitest';
import { closeServer } from '../../src/http/server.ts';
import { createTestApp } from '../helpers/app.ts';
import { openConnection } from '../helpers/raw-connection.ts';

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
