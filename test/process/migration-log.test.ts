import type { Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import { logMigrations } from '../../src/process/migration-log.ts';

type Line = [level: string, members: object, message: string];

/** The log lines of these events. */
function linesOf(...events: Parameters<ReturnType<typeof logMigrations>>[0][]): Line[] {
  const lines: Line[] = [];
  const at = (level: string) => (members: object, message: string) => lines.push([level, members, message]);
  const log = logMigrations({ info: at('info'), warn: at('warn') } as unknown as Logger);
  for (const event of events) log(event);
  return lines;
}

const migrations = [
  { version: 10, name: 'running_sums' },
  { version: 11, name: 'filters' },
];

describe('the log of migrations', () => {
  it('says beforehand which ones run, how long, and how much disk they need', () => {
    expect(linesOf({ kind: 'planned', migrations, seconds: 3, diskBytes: 1_200_000 })).toEqual([
      [
        'info',
        {
          migrations: ['10 running_sums', '11 filters'],
          seconds: 3,
          diskMegabytes: 2,
          hint: 'next time, back up first: npm run refbridge -- migrate --backup <file>, or pg_dump on PostgreSQL',
        },
        'about to migrate the database',
      ],
    ]);
  });

  it('is visible even in commands, which log warnings only, when a migration takes long', () => {
    const progress = { kind: 'progress' as const, version: 10, name: 'running_sums' };
    const lines = linesOf(
      { kind: 'planned', migrations, seconds: 90, diskBytes: 0 },
      { ...progress, statement: 7, statementCount: 23, seconds: 48 },
    );
    expect(lines.map(([level]) => level)).toEqual(['warn', 'warn']);
    expect(lines[1]?.[2]).toBe('migrating the database: statement 7 of 23, 48 s');
  });

  it('says that another process migrates', () => {
    // a log method without members gets the message first
    const [line] = linesOf({ kind: 'waiting' });
    expect(line?.slice(0, 2)).toEqual(['warn', expect.stringContaining('waiting for another process')]);
  });

  it('names each migration as it starts and ends', () => {
    const named = { version: 10, name: 'running_sums' };
    expect(
      linesOf({ kind: 'started', ...named, statementCount: 23 }, { kind: 'finished', ...named, seconds: 88 }),
    ).toEqual([
      ['info', named, 'migrating the database'],
      ['info', { ...named, seconds: 88 }, 'migrated the database'],
    ]);
  });
});
