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
  it('shows the results of a link in a period', async () => {
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
