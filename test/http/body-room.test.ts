import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LARGE_BODY_BYTES } from '../../src/core/delivery.ts';
import { BodyRoom } from '../../src/http/body-room.ts';
import { readBody } from '../../src/http/request-body.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createEndpoint } from '../helpers/story.ts';

/** A body that asks for room at once. */
function enter(room: BodyRoom, byteCount: number) {
  const place = room.place();
  const body = { isIn: false, end: () => place.leave() };
  void place.enter(byteCount).then(() => {
    body.isIn = true;
  });
  return body;
}

it('large bodies wait until those before them are answered, in the order of their arrival', async () => {
  const room = new BodyRoom({ bytesMax: 10 });
  const bodies = [4, 6, 8, 1, 1].map((byteCount) => enter(room, byteCount));
  const areIn = async () => {
    await nextTurn();
    return bodies.map(({ isIn }) => isIn);
  };
  expect(await areIn()).toEqual([true, true, false, false, false]);
  bodies[0]?.end();
  expect(await areIn()).toEqual([true, true, false, false, false]);
  bodies[1]?.end();
  expect(await areIn()).toEqual([true, true, true, true, true]);
});

it('a body that is larger than the room is read when nothing else is', async () => {
  const room = new BodyRoom({ bytesMax: 10 });
  const [first, second] = [enter(room, 11), enter(room, 11)];
  await nextTurn();
  expect([first.isIn, second.isIn]).toEqual([true, false]);
  first.end();
  await nextTurn();
  expect(second.isIn).toBe(true);
});

it('a body that leaves while it waits takes no room, and one that leaves twice gives its room back once', async () => {
  const room = new BodyRoom({ bytesMax: 10 });
  const [first, gone, last] = [enter(room, 10), enter(room, 10), enter(room, 10)];
  gone.end();
  first.end();
  first.end();
  await nextTurn();
  expect([gone.isIn, last.isIn]).toEqual([false, true]);
  const next = enter(room, 10);
  await nextTurn();
  expect(next.isIn).toBe(false);
});

it('a body that has waited for long is read although the others are not answered, and counts like them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const room = new BodyRoom({ bytesMax: 10, waitMsMax: 1_000 });
  const [first, patient] = [enter(room, 10), enter(room, 10)];
  await vi.advanceTimersByTimeAsync(999);
  expect(patient.isIn).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  vi.useRealTimers();
  expect(patient.isIn).toBe(true);
  first.end();
  const last = enter(room, 1);
  await nextTurn();
  expect(last.isIn).toBe(false);
  patient.end();
  await nextTurn();
  expect(last.isIn).toBe(true);
});

it('of those that have waited for long, a roomful is read at a time, and nobody can put the next one off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const room = new BodyRoom({ bytesMax: 10, waitMsMax: 1_000 });
  const bodies = Array.from({ length: 6 }, () => enter(room, 5));
  const countAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return bodies.filter(({ isIn }) => isIn).length;
  };
  expect(await countAfter(900)).toBe(2);
  bodies[0]?.end();
  expect(await countAfter(99)).toBe(3);
  expect(await countAfter(1)).toBe(5);
  // one of the late ones; the room stays full
  bodies[3]?.end();
  expect(await countAfter(249)).toBe(5);
  expect(await countAfter(1)).toBe(6);
  vi.useRealTimers();
});

/** A request whose body arrives as it is written, and a room for it that is opened later. */
function createScene(headers: Record<string, string>) {
  const request = new PassThrough();
  Object.assign(request, { headers });
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const asked: number[] = [];
  const enter = (byteCount: number) => {
    asked.push(byteCount);
    return promise;
  };
  const reading = readBody(request as unknown as IncomingMessage, 8 * LARGE_BODY_BYTES, { enter, leave: () => {} });
  return { request, reading, asked, open };
}

async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

const CHUNK_BYTES = LARGE_BODY_BYTES / 2;

describe('a large body', () => {
  const bytes = Buffer.alloc(8 * LARGE_BODY_BYTES, 'x');
  // copies, as Node makes of what it reads
  const createChunks = () =>
    Array.from({ length: 16 }, (_, n) => Buffer.from(bytes.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES)));

  it.each([
    ['whose length is known', { 'content-length': String(bytes.length) }],
    ['whose length is not known', {}],
  ])('%s stays with its sender, except for its first chunks, until there is room', async (_, headers) => {
    const { request, reading, asked, open } = createScene(headers as Record<string, string>);
    let taken = 0;
    for (const chunk of createChunks()) request.write(chunk, () => (taken += 1));
    request.end();
    await severalTurns();
    expect(asked).toEqual([bytes.length]);
    // three, and one that waits in the stream
    expect(taken).toBeLessThanOrEqual(4);
    open();
    expect((await reading).equals(bytes)).toBe(true);
  });

  it('is in memory once: what has arrived is given back before the rest comes', async () => {
    const { request, reading, open } = createScene({ 'content-length': String(bytes.length) });
    const chunks = createChunks();
    open();
    for (const chunk of chunks.slice(0, -1)) request.write(chunk);
    await severalTurns();
    expect(chunks.map(({ length }) => length)).toEqual([...Array(15).fill(0), CHUNK_BYTES]);
    request.end(chunks.at(-1));
    expect((await reading).equals(bytes)).toBe(true);
  });
});

it('a compressed body waits for room for the largest before it is expanded', async () => {
  const zip = gzipSync(Buffer.alloc(8 * LARGE_BODY_BYTES, 'x'));
  const { request, reading, asked, open } = createScene({
    'content-encoding': 'gzip',
    'content-length': String(zip.length),
  });
  let isRead = false;
  void reading.then(() => (isRead = true));
  request.end(zip);
  await expect.poll(() => asked).toEqual([8 * LARGE_BODY_BYTES]);
  expect(isRead).toBe(false);
  open();
  expect(await reading).toHaveLength(8 * LARGE_BODY_BYTES);
});

describe('a body leaves the room', () => {
  let app: TestApp;
  let path: string;
  let places = 0;
  let left = 0;
  const create = BodyRoom.prototype.place;
  beforeAll(async () => {
    vi.spyOn(BodyRoom.prototype, 'place').mockImplementation(function (this: BodyRoom) {
      const place = create.call(this);
      places += 1;
      let hasLeft = false;
      const leave = () => {
        if (!hasLeft) left += 1;
        hasLeft = true;
        place.leave();
      };
      return { enter: place.enter, leave };
    });
    app = await createTestApp('sqlite');
    const endpoint = await createEndpoint(app, 'stripe');
    path = `/webhooks/stripe/${endpoint.id}`;
  });
  beforeEach(() => {
    places = 0;
    left = 0;
  });
  afterAll(async () => {
    await app.close();
    vi.restoreAllMocks();
  });

  const body = { processor: 'stripe', body: 'x'.repeat(4 * LARGE_BODY_BYTES) };

  it.each([
    ['that is accepted', 200, '/api/explain', { ...body, body: '{}' }],
    ['that is too large', 413, '/api/explain', { ...body, body: 'x'.repeat(3 * 2 ** 20) }],
    ['that its route refuses', 400, '/api/explain', { ...body, processor: 'none' }],
    ['of a route without one', 413, '/api/track/sale', body],
    ['whose sender may not send it', 401, '', body],
    ['of an unknown address', 404, '/webhooks/stripe/none', body],
  ])('%s: %i', async (_name, status, to, sent) => {
    expect((await app.call('POST', to || path, { body: sent })).status).toBe(status);
    await expect.poll(() => left).toBe(1);
    expect(places).toBe(1);
  });

  it('whose sender disconnects', async () => {
    const { hostname, port } = new URL(app.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const head = `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${8 * LARGE_BODY_BYTES}\r\n\r\n`;
    socket.write(head + 'x'.repeat(2 * LARGE_BODY_BYTES));
    await expect.poll(() => places).toBe(1);
    expect(left).toBe(0);
    socket.destroy();
    await expect.poll(() => left).toBe(1);
  });
});
