import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadMigrations, type MigrationEvent, migrate } from '../../src/storage/migrate.ts';
import { estimateCost, readCost } from '../../src/storage/migration-cost.ts';

const migration = (version: number, cost: string) => ({ version, name: 'more', sql: `${cost}\nSELECT 1;` });
const MILLION = 1_000_000;
const ROWS: Record<string, number> = { sales: 2 * MILLION, leads: 0.5 * MILLION };
const size = { rowsOf: async (table: string) => ROWS[table] ?? 0, bytes: async () => 120 * MILLION };

describe('the cost of migrations', () => {
  it('adds up what each states for the rows of each table', async () => {
    const costs = [
      '-- Why.\n\n-- cost: 20 s and 600 MB per million rows of sales\n-- cost: 4 s and 10 MB per million rows of leads',
      '-- cost: none',
      '-- cost: 1 s and 1 MB per million rows of sales',
    ];
    const migrations = costs.map((cost, index) => migration(10 + index, cost));
    expect(await estimateCost(migrations, size)).toEqual({ seconds: 44, bytes: 1_207 * MILLION });
  });

  it('grows with the database for the one that copied everything before costs were stated', async () => {
    const migrations = (await loadMigrations()).filter(({ version }) => version <= 9);
    expect(await estimateCost(migrations, size)).toEqual({ seconds: 2, bytes: 120 * MILLION });
  });

  it.each(['12 s per million rows', 'none at all', '1.5 s and 2 MB per million rows of sales'])(
    'rejects the line "%s"',
    (cost) => {
      expect(() => readCost(migration(2, `-- cost: ${cost}`))).toThrow(`states a cost that cannot be read: ${cost}`);
    },
  );

  it('is stated by every migration from number 10 on', () => {
    expect(readCost(migration(9, ''))).toEqual([]);
    expect(() => readCost(migration(10, ''))).toThrow('Migration 10 (more) states no cost');
    expect(readCost(migration(10, '-- cost: none'))).toEqual([]);
  });
});

const [first, second] = [
  { version: 1, name: 'first', checksum: 'a', sql: '' },
  { version: 2, name: 'second', checksum: 'b', sql: 'FAST;\nSLOW;\nFAST;\nSLOW' },
];
const target = {
  hasTable: async () => true,
  all: async () => [first],
  run: async () => {},
  textFor: (sql: string) => sql,
  execute: async (sql: string) => sql === 'SLOW' && vi.advanceTimersByTime(4_000),
  exclusively: <T>(work: () => Promise<T>) => work(),
  rowsOf: async () => 0,
  bytes: async () => 0,
  spaceFor: async () => ({ neededBytes: 0, freeBytes: null }),
};

describe('the progress of migrations', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is reported every few seconds, with the statement', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    const announced: MigrationEvent[] = [];
    await migrate(target, [first, second], { announce: (event) => announced.push(event) });
    expect(announced.filter(({ kind }) => kind === 'progress')).toEqual([
      { kind: 'progress', version: 2, name: 'second', statement: 4, statementCount: 4, seconds: 5 },
    ]);
    expect(announced.at(-1)).toEqual({ kind: 'finished', version: 2, name: 'second', seconds: 8 });
  });
});

describe('the disk space for migrations', () => {
  it('must also be there after the backup that precedes them', async () => {
    let freeBytes = 3 * MILLION;
    const beforehand = async () => {
      freeBytes -= 2 * MILLION;
    };
    const filling = { ...target, spaceFor: async () => ({ neededBytes: 2 * MILLION, freeBytes }), run: vi.fn() };
    await expect(migrate(filling, [first, second], { beforehand })).rejects.toThrow('needs about 2 MB');
    expect(filling.run).not.toHaveBeenCalled();
  });
});
