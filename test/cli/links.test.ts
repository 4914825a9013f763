import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace } from './run-cli.ts';

const workplace = createWorkplace();

beforeAll(async () => {
  await workplace.run(['setup', '--name', 'Example Ltd']);
  const { id } = await workplace.json('partners', 'create', '--name', 'Ana', '--email', 'ana@example.com');
  await workplace.json('links', 'create', '--partner', id, '--url', 'https://shop.example.com/', '--key', 'ana');
});
afterAll(() => workplace.remove());

describe('refbridge links list', () => {
  it("shows a link's results in a period", async () => {
    const { data } = await workplace.json('links', 'list', '--from', '2026-11-01', '--to', '2026-12-01T00:00:00Z');
    expect(data).toMatchObject([{ key: 'ana', clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} }]);
    const { stdout } = await workplace.run(['links', 'list', '--from', '2026-11-01']);
    expect(stdout.split('\n')[0]).toMatch(/clicks +leads +sales +revenue +commission/);
  });

  it('refuses a period that ends before it starts', async () => {
    const { exitCode, stderr } = await workplace.run(['links', 'list', '--from', '2026-12-01', '--to', '2026-11-01']);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain('must be after from');
  });
});

describe('refbridge links show', () => {
  it("shows the link's results in a period", async () => {
    const period = ['--from', '2026-11-01', '--to', '2026-12-01'];
    expect(await workplace.json('links', 'show', 'ana', ...period)).toMatchObject({ key: 'ana', clicks: 0 });
    const refused = await workplace.run(['links', 'show', 'ana', '--from', '2026-12-01', '--to', '2026-11-01']);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('must be after from')]);
  });
});

describe('refbridge links create', () => {
  it('takes the partner by e-mail address, and prints the link first', async () => {
    const url = 'https://shop.example.com/';
    const words = ['links', 'create', '--partner', 'Ana@Example.com', '--url', url, '--key', 'by-mail'];
    const { exitCode, stdout } = await workplace.run(words);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^shortLink +http:\/\/localhost:3000\/by-mail\n/);
    const unknown = await workplace.run(['links', 'create', '--partner', 'nobody@example.com', '--url', url]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, 'No partner "nobody@example.com" in this account\n']);
  });

  it("shows the partner's name instead of the id, but the id in JSON", async () => {
    const { stdout } = await workplace.run(['links', 'list']);
    expect(stdout).toMatch(/by-mail .* Ana /);
    expect(stdout).not.toMatch(/ptr_/);
    expect((await workplace.json('links', 'list')).data[0].partnerId).toMatch(/^ptr_/);
  });
});
