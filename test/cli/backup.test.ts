import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();
beforeAll(() => workplace.json('setup', '--name', 'Example Ltd'));
afterAll(() => workplace.remove());

describe('refbridge backup', () => {
  it('makes a verified copy that opens as a database, and mentions the key', async () => {
    const { exitCode, stdout, stderr } = await workplace.run(['backup', 'copy.db', '--verify']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^verified +true$/m);
    expect(stderr).toContain('secret.key');
    const copy = await workplace.run(['accounts', 'list'], { environment: { DATABASE_URL: 'file:./copy.db' } });
    expect(copy.stdout).toContain('Example Ltd');
  });

  it('reports path and size as JSON', async () => {
    const file = join(workplace.folder, 'second.db');
    const answer = await workplace.json('backup', 'second.db');
    expect(answer).toEqual({ file, bytes: statSync(file).size, verified: false });
  });

  it('records beside the database, for its owner only, when it was completed, but no failed backup', async () => {
    const record = join(workplace.folder, 'data/refbridge.db.last-backup');
    const before = Date.now();
    await workplace.json('backup', 'third.db');
    const noted = readFileSync(record, 'utf8');
    expect(Date.parse(noted.trim())).toBeGreaterThanOrEqual(before);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect((await workplace.run(['backup', 'third.db'])).exitCode).toBe(1);
    expect(readFileSync(record, 'utf8')).toBe(noted);
  });

  it('reports when the time cannot be recorded, because the copy is still good', async () => {
    const record = join(workplace.folder, 'data/refbridge.db.last-backup');
    rmSync(record, { force: true });
    mkdirSync(join(record, 'in the way'), { recursive: true });
    const { exitCode, stderr } = await workplace.run(['backup', 'fourth.db']);
    expect([exitCode, existsSync(join(workplace.folder, 'fourth.db'))]).toEqual([0, true]);
    expect(stderr).toContain('could not be recorded for the metrics');
    rmSync(record, { recursive: true });
  });

  it('overwrites nothing', async () => {
    const { exitCode, stderr } = await workplace.run(['backup', 'copy.db']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('overwrites nothing');
  });

  it.each([
    ['none/copy.db', /The folder \S+none does not exist: create it, or name a file elsewhere/],
    ['data/refbridge.db/copy.db', /The folder \S+refbridge\.db cannot be written: give this user/],
  ])('says what is wrong with %s instead of reporting a bug', async (destination, problem) => {
    const { exitCode, stderr } = await workplace.run(['backup', destination]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(problem)]);
    expect(stderr).not.toContain('report it');
  });

  it('refers to pg_dump for PostgreSQL', async () => {
    const environment = { DATABASE_URL: 'postgres://127.0.0.1/x', SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.run(['backup', 'x.db'], { environment });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('pg_dump');
  });
});
