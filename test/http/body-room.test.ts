import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { BodyRoom, FREE_BYTES } from '../../src/http/body-room.ts';
import { readBody } from '../../src/http/request-body.ts';

/** A body that asks for room at once. */
function enter(room: BodyRoom, byteCount: number) {
  const response = new EventEmitter();
  const body = { isIn: false, end: () => response.emit('close') };
  void room
    .until(response as ServerResponse)(byteCount)
    .then(() => {
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

it('a sender that disconnects while it waits takes no room', async () => {
  const room = new BodyRoom({ bytesMax: 10 });
  const [first, gone, last] = [enter(room, 10), enter(room, 10), enter(room, 10)];
  gone.end();
  first.end();
  await nextTurn();
  expect([gone.isIn, last.isIn]).toEqual([false, true]);
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

it('of a large body that has no room yet, only the first part is taken from its sender', async () => {
  const bytes = Buffer.alloc(8 * FREE_BYTES, 'x');
  const request = new PassThrough();
  Object.assign(request, { headers: { 'content-length': String(bytes.length) } });
  const room = Promise.withResolvers<void>();
  const asked: number[] = [];
  const reading = readBody(request as unknown as IncomingMessage, bytes.length, (byteCount) => {
    asked.push(byteCount);
    return room.promise;
  });
  const chunkBytes = FREE_BYTES / 2;
  let taken = 0;
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    // a copy, as Node makes of what it reads
    const chunk = Buffer.from(bytes.subarray(start, start + chunkBytes));
    request.write(chunk, () => (taken += chunkBytes));
  }
  request.end();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  expect(asked).toEqual([bytes.length]);
  expect(taken).toBeLessThan(3 * FREE_BYTES);
  room.resolve();
  expect((await reading).equals(bytes)).toBe(true);
});
