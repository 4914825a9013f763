import { statSync } from 'node:fs';
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

  it('overwrites nothing', async () => {
    const { exitCode, stderr } = await workplace.run(['backup', 'copy.db']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('overwrites nothing');
  });

  it('leaves PostgreSQL to pg_dump', async () => {
    const environment = { DATABASE_URL: 'postgres://127.0.0.1/x', SECRET_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await workplace.run(['backup', 'x.db'], { environment });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('pg_dump');
  });
});
