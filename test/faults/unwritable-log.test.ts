import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../helpers/child-process.ts';
import { startOpenServer, statusOf } from '../helpers/open-server.ts';

const LINES = 100_000;
/** 100,000 lines of 600 bytes are 60 MB. */
const GROWTH_MEBIBYTES_MAX = 40;
const LOG_MUCH = new URL('children/log-much.ts', import.meta.url).pathname;

let folder: string;
const open: number[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refbridge-log-'));
});
afterEach(() => {
  for (const descriptor of open.splice(0)) closeSync(descriptor);
  rmSync(folder, { recursive: true });
});

function opened(path: string, flags: number): number {
  const descriptor = openSync(path, flags);
  open.push(descriptor);
  return descriptor;
}

/** A pipe without space for another byte; nobody reads it unless the test does. */
function fullPipe(): number {
  const path = join(folder, 'pipe');
  spawnSync('mkfifo', [path]);
  const descriptor = opened(path, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096, '\n'));
  } catch {
    return descriptor;
  }
}

/** A pipe whose reader is gone. */
function closedPipe(): number {
  const path = join(folder, 'pipe');
  spawnSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = opened(path, constants.O_WRONLY);
  closeSync(reader);
  return writer;
}

const OUTPUTS = [
  ['a pipe that nobody reads', fullPipe],
  ['a closed pipe', closedPipe],
  ['a full disk', () => opened('/dev/full', constants.O_WRONLY)],
] as const;

describe.each(OUTPUTS)('a log that goes to %s', (_name, createOutput) => {
  it('neither blocks nor ends the process, nor grows it, and counts dropped lines', async () => {
    const child = spawn(process.execPath, [LOG_MUCH, String(LINES)], {
      env: { PATH: process.env.PATH, ...COMPILE_CACHE },
      stdio: ['ignore', 'pipe', createOutput()],
    });
    const exited = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }), 'line');
    const cost = JSON.parse(line);
    expect(cost.mebibytes).toBeLessThan(GROWTH_MEBIBYTES_MAX);
    expect(cost.dropped).toBeGreaterThan(LINES / 2);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('lets the server answer, and exit with 0 on SIGINT', async () => {
    const { child, url } = await startOpenServer(folder, createOutput());
    const exited = once(child, 'exit');
    for (let request = 0; request < 100; request++) expect(await statusOf(`${url}/api/nothing`)).toBe(404);
    // unlike SIGTERM, it ends the server without a notice for load balancers
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  });
});

it('a log that works again says how many lines were dropped', async () => {
  const pipe = fullPipe();
  const child = spawn(process.execPath, [LOG_MUCH, String(LINES)], {
    env: { PATH: process.env.PATH, ...COMPILE_CACHE },
    stdio: ['ignore', 'pipe', pipe],
  });
  await once(createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }), 'line');
  let text = '';
  await expect
    .poll(() => {
      text += readAll(pipe);
      return /"droppedLines":(\d+)/.exec(text)?.[1];
    })
    .toMatch(/^\d{5,6}$/);
  const lines = text.split('\n').filter((line) => line !== '');
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  child.kill('SIGKILL');
});

function readAll(descriptor: number): string {
  const buffer = Buffer.alloc(65_536);
  let text = '';
  try {
    for (;;) text += buffer.toString('utf8', 0, readSync(descriptor, buffer));
  } catch {
    return text;
  }
}
