import { mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileQueue } from '../../src/client/file-queue.ts';
import { createClient, type QueuedCall } from '../../src/client/index.ts';
import { leadOf, queued } from './queue-fixtures.ts';

let folder: string;
let path: string;
let problems: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-queue-'));
  path = join(folder, 'data', 'queue.json');
  problems = [];
});
afterEach(() => rm(folder, { recursive: true }));

/** A client whose service does not answer. */
const clientOf = () =>
  createClient({
    baseUrl: 'https://refer.example.com',
    apiKey: 'rb_live_example',
    timeoutMs: 1,
    queueStore: createFileQueue(path),
    onProblem: ({ message }) => problems.push(message),
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  });
const customersIn = async (file: string) =>
  JSON.parse(await readFile(file, 'utf8'))
    .map(({ body }: QueuedCall) => JSON.parse(body).customerExternalId)
    .sort();

/** Fills a folder as an earlier process left it. */
async function leave(at: string, ...customers: string[]) {
  await mkdir(at, { recursive: true });
  const file = join(at, 'queue.json');
  await writeFile(file, JSON.stringify(customers.map((customer) => queued(customer))));
  const before = new Date(Date.now() - 60_000);
  await utimes(file, before, before);
}

describe('a file of an earlier process that appears after the start', () => {
  it.each([
    ['before the first call', 0],
    ['after calls were saved where it belongs', 2],
  ])('is read, and nothing of it is lost: %s', async (_, early) => {
    const client = clientOf();
    expect(await client.flush()).toBe(0);
    for (let n = 0; n < early; n += 1) await client.trackLead(leadOf(`early-${n}`));
    const expected = Array.from({ length: early }, (_unused, n) => `early-${n}`);
    if (early > 0) {
      await client.flush();
      await rename(join(folder, 'data'), join(folder, 'hidden'));
    }
    await leave(join(folder, 'data'), 'earlier-1', 'earlier-2');
    await client.trackLead(leadOf('late'));
    await client.flush();
    expect(await client.flush()).toBe(early + 3);
    expect(await customersIn(path)).toEqual([...expected, 'earlier-1', 'earlier-2', 'late'].sort());
    expect(problems).toEqual([expect.stringContaining(`${path} has appeared`)]);
  });

  it('is read by itself soon, also when nothing is reported any more', async () => {
    const client = clientOf();
    await client.flush();
    await leave(join(folder, 'data'), 'earlier');
    await client.trackLead(leadOf('late'));
    await expect.poll(() => customersIn(path)).toEqual(['earlier', 'late']);
  });
});

describe('a file that two processes use', () => {
  it('is kept under another name when it appears, and nobody sends the calls of the other', async () => {
    const [one, other] = [clientOf(), clientOf()];
    await Promise.all([one.flush(), other.flush()]);
    await sleep(20);
    await one.trackLead(leadOf('of-one'));
    await one.flush();
    await other.trackLead(leadOf('of-other'));
    expect(await other.flush()).toBe(1);
    const [queue, aside = ''] = (await readdir(join(folder, 'data'))).sort();
    expect([queue, aside]).toEqual(['queue.json', expect.stringMatching(/^queue\.json\.foreign-\d{13}$/)]);
    expect(await customersIn(path)).toEqual(['of-other']);
    expect(await customersIn(join(folder, 'data', aside))).toEqual(['of-one']);
    expect(problems).toEqual([expect.stringContaining('give each process a file of its own')]);
  });
});
