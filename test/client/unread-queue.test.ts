import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileQueue } from '../../src/client/file-queue.ts';
import { type Client, createClient, type QueuedCall, type QueueStore } from '../../src/client/index.ts';
import { rounds } from '../helpers/rounds.ts';
import { leadOf, queued, SALE } from './queue-fixtures.ts';

const failing = vi.hoisted(() => ({ reads: false, writes: false }));
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const failIf = (flag: 'reads' | 'writes', code: string) => {
    if (failing[flag]) throw Object.assign(new Error(`${code}: it fails`), { code });
  };
  return {
    ...original,
    async readFile(...given: Parameters<typeof original.readFile>) {
      if (String(given[0]).endsWith('queue.json')) failIf('reads', 'EMFILE');
      return original.readFile(...given);
    },
    async writeFile(...given: Parameters<typeof original.writeFile>) {
      failIf('writes', 'ENOSPC');
      return original.writeFile(...given);
    },
  };
});

/** What outlives the process, in one of the two forms of a store. */
interface Disk {
  /** As a process opens it. */
  open(): QueueStore;
  content(): Promise<QueuedCall[]>;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-queue-'));
});
afterEach(async () => {
  Object.assign(failing, { reads: false, writes: false });
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

const FORMS: [string, (stored: unknown) => Promise<Disk>][] = [
  [
    'a file',
    async (stored) => {
      // a process of another history may still be reading its own file
      const own = await mkdtemp(join(folder, 'disk-'));
      const path = join(own, 'queue.json');
      await writeFile(path, JSON.stringify(stored));
      return {
        open: () => createFileQueue(path),
        async content() {
          const files = (await readdir(own)).filter((name) => !name.endsWith('.new'));
          expect(files).toEqual(['queue.json']);
          const { reads } = failing;
          failing.reads = false;
          const text = await readFile(path, 'utf8');
          failing.reads = reads;
          return JSON.parse(text);
        },
      };
    },
  ],
  [
    "a store of the caller's own",
    async (stored) => {
      let text = JSON.stringify(stored);
      const failIf = (flag: 'reads' | 'writes') => {
        if (failing[flag]) throw new Error('connection refused');
      };
      return {
        open: () => ({
          load() {
            failIf('reads');
            return JSON.parse(text);
          },
          async save(calls) {
            await sleep(1);
            failIf('writes');
            text = JSON.stringify(calls);
          },
        }),
        content: async () => JSON.parse(text),
      };
    },
  ],
];

/** The world around the processes that use one disk, one after another. */
function createWorld(disk: Disk) {
  let isUp = false;
  const received: string[] = [];
  const refused: string[] = [];
  const problems: string[] = [];
  /** Every call that the disk has ever held. */
  const kept = new Set<string>();

  function start(): { client: Client; kill(): Promise<void> } {
    let isAlive = true;
    let writing: Promise<void> = Promise.resolve();
    const store = disk.open();
    const client = createClient({
      baseUrl: 'https://refer.example.com',
      apiKey: 'rb_live_example',
      timeoutMs: 1,
      queueStore: {
        load: () => store.load(),
        save(calls) {
          if (!isAlive) return new Promise(() => undefined);
          const saved = calls.map((call) => call?.body);
          writing = Promise.resolve(store.save(calls)).then(() => saved.forEach((body) => void kept.add(body)));
          return writing;
        },
      },
      onProblem(error, call) {
        problems.push(error.message);
        if (call !== null) refused.push(call.body);
      },
      async fetch(_url, init) {
        await sleep(1);
        if (!isAlive || !isUp) throw new TypeError('fetch failed');
        received.push(String(init?.body));
        return Response.json({ eventName: 'Sign up', sale: { id: 'sal_1' }, id: 'ref_1' });
      },
    });
    return {
      client,
      async kill() {
        isAlive = false;
        await writing.catch(() => undefined);
      },
    };
  }

  return {
    start,
    received,
    problems,
    /** The calls that the disk held and no longer holds, and that neither the service nor the hook got. */
    async lost() {
      const held = [...kept];
      const present = (await disk.content()).map(({ body }) => body);
      const known = new Set([...present, ...received, ...refused]);
      return held.filter((body) => !known.has(body));
    },
    setUp(up: boolean) {
      isUp = up;
    },
    keep: (calls: readonly QueuedCall[]) => calls.forEach(({ body }) => void kept.add(body)),
  };
}

const STEPS = ['lead', 'sale', 'flush', 'wait', 'restart', 'up', 'down', 'reads', 'writes'] as const;

describe.each(FORMS)('%s', (_form, createDisk) => {
  it('loses nothing that it held, in any order of calls, failures and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...STEPS), { maxLength: 30 }),
        fc.boolean(),
        async (steps, isBroken) => {
          Object.assign(failing, { reads: false, writes: false });
          const stored = [queued('stored-1'), queued('stored-2')];
          const disk = await createDisk(stored);
          const bodies = stored.map(({ body }) => body);
          const world = createWorld(disk);
          world.keep(stored);
          failing.reads = isBroken;
          let running = world.start();
          for (const [number, step] of steps.entries()) {
            if (step === 'lead') await running.client.trackLead(leadOf(`user-${number}`));
            if (step === 'sale') await running.client.trackSale({ ...SALE, clickId: null, invoiceId: `in-${number}` });
            // not awaited, so that the next steps happen while it sends
            if (step === 'flush') void running.client.flush();
            if (step === 'wait') await sleep(2);
            if (step === 'up' || step === 'down') world.setUp(step === 'up');
            if (step === 'reads' || step === 'writes') failing[step] = !failing[step];
            if (step === 'restart') {
              await running.kill();
              running = world.start();
            }
            expect(await world.lost(), steps.slice(0, number + 1).join(' ')).toEqual([]);
          }
          Object.assign(failing, { reads: false, writes: false });
          world.setUp(true);
          await expect
            .poll(() => running.client.flush().then(() => world.received))
            .toEqual(expect.arrayContaining(bodies));
          expect(await world.lost()).toEqual([]);
          await running.kill();
        },
      ),
      { numRuns: rounds(100) },
    );
  });

  it('that cannot be read at the start is read again by itself, and its calls are sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const world = createWorld(await createDisk([queued('user-1')]));
    failing.reads = true;
    world.setUp(true);
    world.start();
    await expect.poll(() => world.problems.length).toBe(1);
    expect(world.problems[0]).toMatch(/^The queue could not be loaded: /);
    failing.reads = false;
    const receivedLater = async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return world.received;
    };
    await expect.poll(receivedLater).toEqual([JSON.stringify(leadOf('user-1'))]);
  });

  it('keeps what this version cannot send, behind the calls, and says so', async () => {
    const newer = { ...queued('user-1'), path: '/api/track/visit' };
    const disk = await createDisk([null, newer]);
    const world = createWorld(disk);
    const { client } = world.start();
    await client.trackLead(leadOf('user-2'));
    await client.flush();
    const lead = expect.objectContaining({ path: '/api/track/lead' });
    expect(await disk.content()).toEqual([lead, null, newer]);
    expect(world.problems).toEqual(['The store holds 2 entries that this version cannot send; they stay there']);
  });
});
