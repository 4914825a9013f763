import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { addTo, createTally, differencesOf, type Tally } from './exactly-once.ts';
import { load } from './load.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const requestTo = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);

/** A server that answers 503 to `/refused`, with or without closing, and cuts the connection of `/cut`. */
async function start(): Promise<number> {
  server = createServer(({ url, socket }, response) => {
    if (url === '/cut') return void socket.destroy();
    if (url === '/last') response.setHeader('connection', 'close');
    response.writeHead(url === '/stored' ? 200 : 503, { 'content-length': 2 }).end('{}');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('the load of a benchmark', () => {
  it.each([1, 3])('continues after requests that are refused or cut off, over %i connections', async (connections) => {
    const port = await start();
    const paths = ['/stored', '/refused', '/cut', '/stored', '/last', '/stored', '/cut', '/cut', '/stored'];
    const { acknowledged, refused, refusedAt } = await load(port, paths.map(requestTo), connections);
    expect([acknowledged, refused]).toEqual([4, 5]);
    expect(refusedAt.toSorted()).toEqual([1, 2, 4, 6, 7]);
  });

  it('fails when nobody listens', async () => {
    const port = await start();
    server?.close();
    await expect(load(port, [requestTo('/stored')], 1)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('what a benchmark compares', () => {
  const ids = Array.from({ length: 200 }, (_, n) => `in_${n}`);
  const tallyWith = (refusedAt: number[]): Tally => {
    const tally = createTally();
    addTo(tally, ids, refusedAt);
    return tally;
  };

  it('finds nothing when each acknowledged request is stored once, and one of two refused ones', () => {
    expect(differencesOf(tallyWith([]), ids)).toEqual([]);
    expect(differencesOf(tallyWith([3, 9]), ids.toSpliced(3, 1))).toEqual([]);
  });

  it('finds an acknowledged request that is not stored, although a refused one is stored in its place', () => {
    expect(differencesOf(tallyWith([3]), ids.toSpliced(4, 1))).toEqual(['1 acknowledged and not stored, such as in_4']);
  });

  it('finds what is stored twice, refused or not, and what nobody sent', () => {
    expect(differencesOf(tallyWith([3]), [...ids, 'in_3'])).toEqual(['1 stored twice']);
    expect(differencesOf(tallyWith([3]), [...ids, 'in_4'])).toEqual(['1 stored twice']);
    expect(differencesOf(tallyWith([]), [...ids, 'in_other'])).toEqual(['1 stored and never sent']);
  });

  it('allows one request in a hundred to be refused', () => {
    expect(differencesOf(tallyWith([0, 1]), ids)).toEqual([]);
    expect(differencesOf(tallyWith([0, 1, 2]), ids)).toEqual(['3 of 200 refused, at most 1 % may be']);
  });
});
