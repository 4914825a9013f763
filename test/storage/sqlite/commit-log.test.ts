import { fstatSync, type Stats } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { CommitLog } from '../../../src/storage/sqlite/commit-log.ts';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { GroupCommit } from '../../../src/storage/sqlite/group-commit.ts';
import { commitCellsIn, createLockMemory } from '../../../src/storage/sqlite/write-lock.ts';

vi.mock('node:fs', { spy: true });

type Done = (error: NodeJS.ErrnoException | null) => void;

/** Settles when everything has happened that waits neither for the disk nor for time. */
async function settling(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

/** A disk that stores only when the test says so. */
function createDisk() {
  const waiting: Done[] = [];
  return {
    waiting,
    sync: (_descriptor: number, done: Done) => void waiting.push(done),
    async answer(error: NodeJS.ErrnoException | null = null) {
      waiting.shift()?.(error);
      await settling();
    },
  };
}

const PUT = 'INSERT INTO notes (id) VALUES (@id)';
let folder: string;
let path: string;
let connection: SqliteConnection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-log-'));
  path = join(folder, 'refbridge.db');
  connection = new SqliteConnection(path, { readonly: false, busyTimeoutMs: 5 });
  connection.executeScript('CREATE TABLE notes (id TEXT PRIMARY KEY)');
  connection.leaveSyncToLog();
});
afterEach(async () => {
  connection.close();
  await rm(folder, { recursive: true, force: true });
});

describe('units of work on a slow disk', () => {
  let disk: ReturnType<typeof createDisk>;
  let log: CommitLog;
  let commits: GroupCommit;
  let settled: string[];
  let clock: MockInstance<() => number>;

  beforeEach(async () => {
    // a batch that took long would leave some of the units to the next one
    clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    disk = createDisk();
    log = new CommitLog(path, createLockMemory(), disk.sync as never);
    commits = new GroupCommit(connection, { log });
    settled = [];
    const atStart = log.durable();
    await disk.answer();
    await atStart;
  });
  afterEach(() => {
    clock.mockRestore();
    log.close();
  });

  function start(name: string, unit: Parameters<GroupCommit['write']>[0] = (tx) => tx.run(PUT, { id: name })) {
    const note = (end: string) => () => void settled.push(`${name} ${end}`);
    return commits.write(unit).then(note('stored'), note('refused'));
  }
  const committed = () => (connection.all('SELECT id FROM notes ORDER BY id') as { id: string }[]).map(({ id }) => id);

  it('settle only when their commit is on disk; those that arrive meanwhile share the next one', async () => {
    start('a');
    await settling();
    start('b');
    await settling();
    start('c');
    await settling();
    expect({ committed: committed(), settled, syncs: disk.waiting.length }).toEqual({
      committed: ['a'],
      settled: [],
      syncs: 1,
    });
    await disk.answer();
    expect({ committed: committed(), settled, syncs: disk.waiting.length }).toEqual({
      committed: ['a', 'b', 'c'],
      settled: ['a stored'],
      syncs: 1,
    });
    await disk.answer();
    expect({ settled, syncs: disk.waiting.length }).toEqual({
      settled: ['a stored', 'b stored', 'c stored'],
      syncs: 0,
    });
  });

  it('wait for the disk even when they only read, or refuse, what another thread has not stored yet', async () => {
    log.noting(() => {});
    start('looks', (tx) => tx.get('SELECT id FROM notes'));
    start('refuses', async (tx) => {
      await tx.get('SELECT id FROM notes');
      throw new Error('it is there already');
    });
    await settling();
    expect({ settled, syncs: disk.waiting.length }).toEqual({ settled: [], syncs: 1 });
    await disk.answer();
    expect(settled).toEqual(['looks stored', 'refuses refused']);
    start('writes and refuses', async (tx) => {
      await tx.run(PUT, { id: 'taken back' });
      log.noting(() => {});
      throw new Error('another thread was faster');
    });
    await settling();
    expect(settled).toHaveLength(2);
    await disk.answer();
    expect({ settled: settled.at(-1), committed: committed() }).toEqual({
      settled: 'writes and refuses refused',
      committed: [],
    });
    await start('looks again', (tx) => tx.get('SELECT id FROM notes'));
    expect({ settled: settled.at(-1), syncs: disk.waiting.length }).toEqual({
      settled: 'looks again stored',
      syncs: 0,
    });
  });

  it('are refused with UNAVAILABLE after 2 s while the disk hangs; committed ones wait for it', async () => {
    start('a');
    await settling();
    const waiting = commits.write((tx) => tx.run(PUT, { id: 'b' }));
    await settling();
    // one more, because differences of fractions are not exact
    clock.mockReturnValue(performance.now() + 2_001);
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('The disk') });
    expect({ committed: committed(), settled }).toEqual({ committed: ['a'], settled: [] });
    await disk.answer();
    expect(settled).toEqual(['a stored']);
  });

  it('are refused from the moment when the disk fails, as its content is uncertain', async () => {
    const refusals = Promise.allSettled(['a', 'b'].map((id) => commits.write((tx) => tx.run(PUT, { id }))));
    await settling();
    await disk.answer(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
    const uncertain = { status: 'rejected', reason: { code: 'OUTCOME_UNKNOWN', retryAfterSeconds: 300 } };
    expect(await refusals).toMatchObject([uncertain, uncertain]);
    const later = await commits.write((tx) => tx.run(PUT, { id: 'c' })).catch((error: unknown) => error);
    expect(later).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('restart the server') });
    await expect(log.durable()).rejects.toThrow('its content is uncertain');
    expect(committed()).toEqual(['a', 'b']);
    expect(disk.waiting).toEqual([]);
  });

  it('are refused from the moment when the log is deleted, as by restoring a backup beside the server', async () => {
    await rm(`${path}-wal`);
    const refused = commits.write((tx) => tx.run(PUT, { id: 'a' })).catch((error: unknown) => error);
    await settling();
    await disk.answer();
    const gone = expect.stringContaining('deleted or replaced');
    expect(await refused).toMatchObject({ code: 'OUTCOME_UNKNOWN', message: gone });
    const later = commits.write((tx) => tx.run(PUT, { id: 'b' }));
    await expect(later).rejects.toMatchObject({ code: 'UNAVAILABLE', message: gone });
  });

  it('are not refused on a file system that does not count the names of files', async () => {
    vi.mocked(fstatSync).mockReturnValueOnce({ nlink: 0 } as Stats);
    const other = new CommitLog(path, createLockMemory(), disk.sync as never);
    await Promise.all([other.durable(), disk.answer()]);
    other.close();
  });
});

describe('the commit log of several threads', () => {
  it('waits for what any of them committed, and for nothing that any of them has stored', async () => {
    const memory = createLockMemory();
    const disk = createDisk();
    const [one, other] = [0, 1].map(() => new CommitLog(path, memory, disk.sync as never)) as [CommitLog, CommitLog];
    const atStart = one.durable();
    expect(atStart, 'what a process that was killed has left').toBeInstanceOf(Promise);
    await disk.answer();
    await atStart;
    expect(other.durable()).toBeUndefined();
    one.noting(() => {});
    const stored = other.durable();
    expect(stored).toBeInstanceOf(Promise);
    await disk.answer();
    await stored;
    expect([one.durable(), other.durable()]).toEqual([undefined, undefined]);
    one.close();
    other.close();
  });

  it('waits for a commit in progress, which can be read before it is counted', async () => {
    const memory = createLockMemory();
    const disk = createDisk();
    const [one, other] = [0, 1].map(() => new CommitLog(path, memory, disk.sync as never)) as [CommitLog, CommitLog];
    const told: string[] = [];
    const before = one.durable()?.then(() => told.push('what was before'));
    one.noting(() => {
      expect(disk.waiting).toHaveLength(1);
      void one.durable()?.then(() => told.push('beside a sync that began before'));
      void other.durable()?.then(() => told.push('in another thread'));
    });
    expect(disk.waiting).toHaveLength(2);
    await disk.answer();
    await before;
    expect(told).toEqual(['what was before']);
    await disk.answer();
    await disk.answer();
    expect(told).toHaveLength(3);
    expect(() =>
      one.noting(() => {
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    for (const log of [one, other]) {
      await Promise.all([log.durable(), disk.answer()]);
      expect(log.durable()).toBeUndefined();
      log.close();
    }
  });

  it('keeps counting past the largest number of a cell', async () => {
    const memory = createLockMemory();
    commitCellsIn(memory).fill(0x7fffffff, 0, 2);
    const disk = createDisk();
    const log = new CommitLog(path, memory, disk.sync as never);
    const stored = log.durable();
    expect(stored).toBeInstanceOf(Promise);
    await disk.answer();
    await stored;
    expect([...commitCellsIn(memory)]).toEqual([-0x80000000, -0x80000000, 0]);
    log.close();
  });
});
