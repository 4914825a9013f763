import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adapters } from '../../adapters/index.ts';
import type { UnreadDelivery } from '../../src/app/service.ts';
import { PROCESSORS, type Processor } from '../../src/core/processor.ts';
import { interpretDelivery, readDelivery } from '../../src/deliveries/interpret.ts';
import { createInterpreter, type Interpreter } from '../../src/thread/interpreter.ts';
import { type Fixture, loadFixtures } from '../adapters/fixtures.ts';
import { asId } from '../helpers/ids.ts';

/** The started threads, to end them from outside, and the source of the next ones; null for what the caller wants. */
const workers: Worker[] = [];
let source: string | null = null;
let isRefused = false;
vi.mock('node:worker_threads', async (original) => {
  const actual = await original<typeof import('node:worker_threads')>();
  class Watched extends actual.Worker {
    constructor(...[code, options]: ConstructorParameters<typeof Worker>) {
      if (isRefused) throw new Error('too many threads');
      super(source ?? code, options);
      workers.push(this);
    }
  }
  return { ...actual, Worker: Watched };
});

/** A thread that never replies to its second delivery. */
const ANSWERS_ONCE = `const { parentPort } = require('node:worker_threads');
  let count = 0;
  parentPort.on('message', () => {
    count += 1;
    if (count === 1) parentPort.postMessage({ result: 'the answer', error: null });
  });`;
const ENDED = { code: 'UNAVAILABLE', retryAfterSeconds: 2 };

describe('the thread that reads large deliveries', () => {
  let interpreter: Interpreter;
  let readHereCount: number;
  const logged: unknown[] = [];

  const start = (limits: { silenceMaxMs?: number; bytesMax?: number } = {}) =>
    createInterpreter({
      async readHere(delivery) {
        readHereCount += 1;
        return readDelivery(await adapters[delivery.processor](), delivery);
      },
      log: pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
      ...limits,
    });

  beforeEach(() => {
    workers.length = 0;
    logged.length = 0;
    source = null;
    isRefused = false;
    readHereCount = 0;
    interpreter = start();
  });
  afterEach(() => interpreter.close());

  const stripe = async () => unread('stripe', await firstFixture('stripe'));

  it.each(PROCESSORS)('comes to the same result as this thread, for every fixture of %s', async (processor) => {
    const adapter = await adapters[processor]();
    const fixtures = await loadFixtures(processor);
    expect(fixtures.length).toBeGreaterThan(5);
    const deliveries = fixtures.map((fixture) => unread(processor, fixture));
    const results = await Promise.all(deliveries.map((delivery) => interpreter.read(delivery)));
    expect(results).toStrictEqual(deliveries.map((delivery) => interpretDelivery(adapter, delivery)));
    expect(workers).toHaveLength(1);
    expect(readHereCount).toBe(0);
  });

  it('passes the program of the endpoint, and a key that the body does not have', async () => {
    const fixture = (await loadFixtures('polar')).find(({ name }) => name === 'order.paid--renewal');
    const delivery = { ...unread('polar', fixture as Fixture), headers: {}, keyIfMissing: 'msg_assumed' };
    const programId = asId<'prg'>('prg_1');
    const { deliveryKey, interpreted } = await interpreter.read({ ...delivery, programId });
    expect(deliveryKey).toBe('msg_assumed');
    expect(interpreted).toMatchObject({ interpretation: { facts: [{ onlyPrograms: [programId] }] } });
  });

  it('is given one after the other', async () => {
    source = `const { parentPort } = require('node:worker_threads');
      let atOnce = 0;
      parentPort.on('message', () => {
        atOnce += 1;
        setTimeout(() => {
          parentPort.postMessage({ result: { atOnce }, error: null });
          atOnce -= 1;
        }, 20);
      });`;
    const delivery = await stripe();
    const results = await Promise.all(Array.from({ length: 5 }, () => interpreter.read(delivery)));
    expect(results).toEqual(Array(5).fill({ atOnce: 1 }));
  });

  it('leaves the body to its caller', async () => {
    const delivery = await stripe();
    const before = delivery.rawBody.toString();
    await interpreter.read(delivery);
    expect(delivery.rawBody.toString()).toBe(before);
  });

  it('is replaced when it ends; what it was given is refused, so that the processor sends it again', async () => {
    const delivery = await stripe();
    source = ANSWERS_ONCE;
    expect(await interpreter.read(delivery)).toBe('the answer');
    source = null;
    const lost = interpreter.read(delivery);
    const next = interpreter.read(delivery);
    await Promise.resolve();
    void workers[0]?.terminate();
    await expect(lost).rejects.toMatchObject(ENDED);
    expect(await next).toMatchObject({ interpreted: { failure: null } });
    expect(workers).toHaveLength(2);
    expect(readHereCount).toBe(0);
  });

  it('is replaced after an error, which is logged', async () => {
    const delivery = await stripe();
    source = `const { parentPort } = require('node:worker_threads');
      let count = 0;
      parentPort.on('message', () => {
        count += 1;
        if (count === 2) throw new Error('out of luck');
        parentPort.postMessage({ result: null, error: { code: null, message: 'no adapter' } });
      });`;
    await expect(interpreter.read(delivery)).rejects.toThrow('no adapter');
    await expect(interpreter.read(delivery)).rejects.toMatchObject(ENDED);
    expect(logged).toEqual(['the thread that reads large deliveries failed']);
    source = null;
    expect(await interpreter.read(delivery)).toMatchObject({ interpreted: { failure: null } });
    expect(readHereCount).toBe(0);
  });

  it('is not started again when it cannot start: this thread interprets the rest', async () => {
    const delivery = await stripe();
    source = 'throw new Error("no memory for a thread")';
    await expect(interpreter.read(delivery)).rejects.toMatchObject(ENDED);
    expect(logged).toEqual(['the thread that reads large deliveries failed']);
    expect(await interpreter.read(delivery)).toMatchObject({ interpreted: { failure: null } });
    expect(readHereCount).toBe(1);
    expect(workers).toHaveLength(1);
  });

  it('is not started when the system refuses one: this thread interprets everything', async () => {
    isRefused = true;
    expect(await interpreter.read(await stripe())).toMatchObject({ interpreted: { failure: null } });
    isRefused = false;
    expect(await interpreter.read(await stripe())).toMatchObject({ interpreted: { failure: null } });
    expect(readHereCount).toBe(2);
    expect(logged).toEqual(['the thread that reads large deliveries failed']);
  });

  it.each([
    ['blocks it', 'for (;;);'],
    ['needs too much memory', 'const all = []; for (;;) all.push(Array(1e5).fill(all.length));'],
    ['throws', 'throw new Error("out of luck")'],
  ])('is replaced even if the first delivery %s: this thread never interprets that one', async (_what, code) => {
    source = `const { parentPort } = require('node:worker_threads');
      parentPort.on('message', () => { ${code} });
      parentPort.postMessage('ready');`;
    interpreter = start(code === 'for (;;);' ? { silenceMaxMs: 1_000 } : {});
    const delivery = await stripe();
    await expect(interpreter.read(delivery)).rejects.toMatchObject(ENDED);
    await expect(interpreter.read(delivery)).rejects.toMatchObject(ENDED);
    expect(workers).toHaveLength(2);
    expect(readHereCount).toBe(0);
  });

  it('accepts no more than fit into its limit, until others are done', async () => {
    const delivery = await stripe();
    interpreter = start({ bytesMax: 2 * delivery.rawBody.length });
    const accepted = [interpreter.read(delivery), interpreter.read(delivery)];
    await expect(interpreter.read(delivery)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('Too many large deliveries are waiting'),
    });
    await Promise.all(accepted);
    expect(await interpreter.read(delivery)).toMatchObject({ interpreted: { failure: null } });
  });

  it('forgets a delivery that cannot be copied to it', async () => {
    const delivery = await stripe();
    await expect(interpreter.read({ ...delivery, settings: { notData: () => {} } })).rejects.toThrow(
      'could not be cloned',
    );
    // a rejection that nobody handles fails the run
    await interpreter.close();
    expect(logged).toEqual([]);
  });

  it('ends when nothing comes, without a word, and starts again', async () => {
    source = ANSWERS_ONCE;
    interpreter = start({ silenceMaxMs: 1_500 });
    const delivery = await stripe();
    expect(await interpreter.read(delivery)).toBe('the answer');
    await new Promise((resolve) => workers[0]?.once('exit', resolve));
    expect(logged).toEqual([]);
    expect(await interpreter.read(delivery)).toBe('the answer');
    expect(workers).toHaveLength(2);
    expect(readHereCount).toBe(0);
  });

  it('is ended when it is blocked', async () => {
    source = `require('node:worker_threads').parentPort.on('message', () => { for (;;); })`;
    interpreter = start({ silenceMaxMs: 200 });
    await expect(interpreter.read(await stripe())).rejects.toMatchObject(ENDED);
    expect(logged).toEqual(['the thread that reads large deliveries failed']);
  });

  it('ends with the server', async () => {
    await interpreter.read(await stripe());
    const exited = new Promise((resolve) => workers[0]?.once('exit', resolve));
    await interpreter.close();
    await exited;
    expect(logged).toEqual([]);
  });

  it('is not started again for what still waits when the server has ended', async () => {
    const delivery = await stripe();
    const waiting = Promise.allSettled([1, 2, 3].map(() => interpreter.read(delivery)));
    await Promise.resolve();
    await interpreter.close();
    for (const one of await waiting) expect(one).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
    expect(workers).toHaveLength(1);
    expect(readHereCount).toBe(0);
  });
});

async function firstFixture(processor: Processor): Promise<Fixture> {
  const [fixture] = await loadFixtures(processor);
  if (fixture === undefined) throw new Error(`No fixture of ${processor}`);
  return fixture;
}

function unread(processor: Processor, { rawBody, headers, settings }: Fixture): UnreadDelivery {
  return { processor, rawBody, headers, settings, programId: null, verification: null };
}
