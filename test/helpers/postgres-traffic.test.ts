import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listenLocally } from './listen-locally.ts';
import { observePostgres } from './postgres-traffic.ts';

const START_UP = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0]);
const QUERY = Buffer.from('Q\0\0\0\rSELECT 1\0');
const READY = Buffer.from('Z\0\0\0\u0005I');

it('queries that do not wait for each other are one wait, also if one is answered before the other is sent', async () => {
  const server = createServer((socket) => socket.on('data', () => socket.write(READY)));
  const { host } = new URL(await listenLocally(server));
  const observed = await observePostgres(`postgres://${host}/any`);
  const clients = [1, 2].map(() => connect(Number(new URL(observed.url).port), '127.0.0.1'));
  const send = (bytes: Buffer, pauseMs: number) =>
    Promise.all(
      clients.map(async (client, index) => {
        const answered = once(client, 'data');
        await sleep(index * pauseMs);
        client.write(bytes);
        await answered;
      }),
    );
  await send(START_UP, 0);
  const waits: number[] = [];
  // a pause may take longer than it should
  for (let n = 0; n < 9; n += 1) waits.push((await observed.observe(() => send(QUERY, 2))).waits);
  await observed.close();
  server.close();
  expect(waits.toSorted()[4]).toBe(1);
});
