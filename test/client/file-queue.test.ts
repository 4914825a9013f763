import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileQueue } from '../../src/client/file-queue.ts';
import { createClient } from '../../src/client/index.ts';
import { leadOf } from './queue-fixtures.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-queue-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a file with half a queue', () => {
  it.each(['', '[{"path":"/api/sales","bo', '{}', '7'])('is kept under another name: %j', async (text) => {
    await writeFile(join(folder, 'queue.json'), text);
    const problems: string[] = [];
    const client = createClient({
      baseUrl: 'https://refer.example.com',
      apiKey: 'rb_live_example',
      timeoutMs: 1,
      queueStore: createFileQueue(join(folder, 'queue.json')),
      onProblem: ({ message }) => problems.push(message),
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    await client.trackLead(leadOf('user-1'));
    expect(await client.flush()).toBe(1);
    const [queue, aside] = (await readdir(folder)).sort();
    expect([queue, aside]).toEqual(['queue.json', expect.stringMatching(/^queue\.json\.unreadable-\d{13}$/)]);
    expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe(text);
    expect(JSON.parse(await readFile(join(folder, 'queue.json'), 'utf8'))).toHaveLength(1);
    expect(problems).toEqual([expect.stringContaining(`it is now ${join(folder, aside ?? '')}`)]);
  });
});
