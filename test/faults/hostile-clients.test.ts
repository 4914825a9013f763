import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenServer, startOpenServer, statusOf } from '../helpers/open-server.ts';
import { residentMebibytes } from '../helpers/resident-memory.ts';

/** What compiled code and garbage need in busy seconds; a leak from either attack needs hundreds. */
const GROWTH_MEBIBYTES_MAX = 100;
const DURATION_MS = 4_000;
const LONG_PATH = `GET /api/${'x'.repeat(15_000)} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** As many as fit into what Node reads at once. */
const MANY_REQUESTS = 'GET /a HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(2_400);

let folder: string;
let server: OpenServer;
const sockets: Socket[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'refbridge-hostile-'));
  server = await startOpenServer(folder, 'pipe');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.child.kill('SIGKILL');
  await once(server.child, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

function connection(): Socket {
  const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** The server's largest growth until `over` settles. */
async function growthDuring(over: Promise<unknown>): Promise<number> {
  const pid = server.child.pid ?? 0;
  const before = residentMebibytes(pid);
  let most = before;
  let isOver = false;
  over.then(() => {
    isOver = true;
  });
  while (!isOver) {
    most = Math.max(most, residentMebibytes(pid));
    await sleep(50);
  }
  return most - before;
}

it('paths of 15 KB from strangers do not grow the memory, even when nobody reads the log', async () => {
  const endsAt = performance.now() + DURATION_MS;
  const client = async () => {
    const socket = connection();
    while (performance.now() < endsAt) {
      socket.write(LONG_PATH);
      await once(socket, 'data');
    }
  };
  expect(await growthDuring(Promise.all(Array.from({ length: 16 }, client)))).toBeLessThan(GROWTH_MEBIBYTES_MAX);
  expect(await statusOf(`${server.url}/health/live`)).toBe(200);
});

it('200 clients that send thousands of requests and read no answer do not grow the memory', async () => {
  for (let n = 0; n < 200; n++) {
    const socket = connection().pause();
    for (let packet = 0; packet < 3; packet++) socket.write(MANY_REQUESTS);
  }
  expect(await growthDuring(sleep(DURATION_MS))).toBeLessThan(GROWTH_MEBIBYTES_MAX);
  expect(await statusOf(`${server.url}/health/live`)).toBe(200);
});
