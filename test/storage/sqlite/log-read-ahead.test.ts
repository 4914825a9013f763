import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/storage/open.ts';
import { createLogWatch } from '../../../src/storage/sqlite/checkpoint-loop.ts';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { LogReadAhead, readBeginning } from '../../../src/storage/sqlite/log-read-ahead.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';

const MEBIBYTE = 1_024 * 1_024;
const LOG_HEADER_BYTES = 32;

/** A log of this size that remembers which parts of it were read. */
function createLog(size: number) {
  const state = { size, parts: [] as [from: number, until: number][], isClosed: false };
  const read = async (_buffer: Buffer, _offset: number, length: number, position: number) => {
    const bytesRead = Math.max(0, Math.min(length, state.size - position));
    if (bytesRead > 0) state.parts.push([position, position + bytesRead]);
    return { bytesRead };
  };
  const close = async () => {
    state.isClosed = true;
  };
  const ahead = new LogReadAhead(Promise.resolve({ read, close } as never));
  /** The parts that it reads after this commit, joined. */
  const follow = async (head: number) => {
    state.parts = [];
    await ahead.follow(head);
    const { parts } = state;
    for (const [index, [from]] of parts.entries()) if (index > 0) expect(from).toBe(parts[index - 1]?.[1]);
    return parts.length === 0 ? null : [parts[0]?.[0], parts.at(-1)?.[1]];
  };
  return { state, ahead, follow };
}

describe('reading the log ahead of the next commits', () => {
  it('reads a mebibyte from where the log is written, and more once half of that is', async () => {
    const { follow } = createLog(10 * MEBIBYTE);
    expect(await follow(1_000)).toEqual([1_000, 1_000 + MEBIBYTE]);
    expect(await follow(200_000)).toBeNull();
    expect(await follow(700_000)).toEqual([1_000 + MEBIBYTE, 700_000 + MEBIBYTE]);
  });

  it('skips what is written already', async () => {
    const { follow } = createLog(10 * MEBIBYTE);
    await follow(0);
    expect(await follow(5 * MEBIBYTE)).toEqual([5 * MEBIBYTE, 6 * MEBIBYTE]);
  });

  it('starts at the beginning when the log does', async () => {
    const { follow } = createLog(10 * MEBIBYTE);
    await follow(5 * MEBIBYTE);
    expect(await follow(2_072)).toEqual([2_072, 2_072 + MEBIBYTE]);
  });

  it('does so also when it was reading meanwhile', async () => {
    const { ahead, follow } = createLog(10 * MEBIBYTE);
    const reading = ahead.follow(5 * MEBIBYTE);
    expect(await follow(2_072)).toBeNull();
    await reading;
    expect(await follow(4_144)).toEqual([4_144, 4_144 + MEBIBYTE]);
  });

  it('reads to the end of the file, and goes on when the file has grown', async () => {
    const { state, follow } = createLog(MEBIBYTE);
    expect(await follow(800_000)).toEqual([800_000, MEBIBYTE]);
    expect(await follow(MEBIBYTE)).toBeNull();
    state.size = 2 * MEBIBYTE;
    expect(await follow(MEBIBYTE + 1)).toEqual([MEBIBYTE + 1, 2 * MEBIBYTE]);
  });

  it('reads again what the system may have dropped since', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { follow } = createLog(10 * MEBIBYTE);
      await follow(0);
      vi.advanceTimersByTime(5_001);
      expect(await follow(2_072)).toEqual([2_072, 2_072 + MEBIBYTE]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('closes the file', async () => {
    const { state, ahead } = createLog(MEBIBYTE);
    await ahead.close();
    expect(state.isClosed).toBe(true);
  });

  it('does without a file that it cannot open or read', async () => {
    const missing = new LogReadAhead(Promise.reject(new Error('EACCES')));
    await missing.follow(0);
    await missing.close();
    const broken = new LogReadAhead(
      Promise.resolve({ read: () => Promise.reject(new Error('EIO')), close: async () => {} } as never),
    );
    await broken.follow(0);
    await broken.close();
  });
});

describe('a server on SQLite', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refbridge-log-'));
    path = join(folder, 'refbridge.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('knows after a commit where its log is written next', () => {
    const connection = new SqliteConnection(path, { readonly: false, busyTimeoutMs: 0 });
    const follow = vi.fn(async () => {});
    const commit = (sql: string) => {
      connection.run(sql);
      createLogWatch(connection, { request() {} }, { follow })();
    };
    commit('CREATE TABLE things (key INTEGER PRIMARY KEY, body BLOB)');
    commit('INSERT INTO things VALUES (1, zeroblob(100000))');
    expect(follow).toHaveBeenLastCalledWith(statSync(`${path}-wal`).size - LOG_HEADER_BYTES);
    expect(connection.checkpoint('RESTART').isReset).toBe(true);
    connection.beginLog();
    commit('DELETE FROM things WHERE key = 2');
    expect(follow).toHaveBeenLastCalledWith(2_072);
    connection.close();
  });

  it('needs no log to read its beginning', () => {
    expect(() => readBeginning(path)).not.toThrow();
  });

  it('reads its log ahead', async () => {
    const follow = vi.spyOn(LogReadAhead.prototype, 'follow');
    try {
      const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
      const database = await openDatabase(`file:${path}`, { sqlite: { writeLock, reportThread: { onProblem() {} } } });
      await database.write((tx) => tx.run('CREATE TABLE things (key INTEGER PRIMARY KEY)'));
      expect(follow).toHaveBeenCalled();
      await database.close();
    } finally {
      follow.mockRestore();
    }
  });
});
