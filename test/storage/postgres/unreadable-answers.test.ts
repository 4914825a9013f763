import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase } from '../../helpers/databases.ts';
import { listenLocally } from '../../helpers/listen-locally.ts';

/** A row of one column, cut off before the column's length: as when a pooler writes its error into a message. */
const UNREADABLE = Buffer.from([0x44, 0, 0, 0, 6, 0, 1]);

describe('an answer of PostgreSQL that cannot be read', () => {
  it.each(['read', 'write'] as const)('breaks its connection, and the next %s opens another', async (way) => {
    const test = await createTestDatabase('postgres');
    let isBroken = false;
    const server = createServer((client) => {
      const upstream = connect(Number(new URL(test.url).port), '127.0.0.1');
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.on('close', () => upstream.destroy()).pipe(upstream);
      upstream.on('close', () => client.destroy()).on('data', (bytes) => client.write(isBroken ? UNREADABLE : bytes));
    });
    const url = new URL(test.url);
    url.port = new URL(await listenLocally(server)).port;
    const database = await openDatabase(url.href);
    const ask = () => database[way]((tx) => tx.get<{ one: number }>('SELECT 1 AS one'));
    expect(await ask()).toEqual({ one: 1 });
    isBroken = true;
    await expect(ask()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isBroken = false;
    expect(await ask()).toEqual({ one: 1 });
    await database.close();
    server.close();
    await once(server, 'close');
    await test.remove();
  });
});
