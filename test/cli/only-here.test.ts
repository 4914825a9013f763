import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkplace } from './run-cli.ts';

const url = 'https://refer.example.com';
const workplace = createWorkplace();

beforeAll(() => workplace.json('setup', '--name', 'Example Ltd'));
afterAll(() => workplace.remove());

describe('a command that works only on this machine', () => {
  it.each([
    [['--url', url], ['doctor']],
    [
      ['--url', url],
      ['accounts', 'list'],
    ],
    [
      ['--profile', 'none'],
      ['backup', 'copy.db'],
    ],
    [
      ['--profile', 'none'],
      ['import', 'refbridge', 'folder'],
    ],
    [['--api-key', 'rb_live_x'], ['setup']],
    [['--url', url], ['logout']],
  ])('refuses %j before %j, and does nothing', async (before, words) => {
    const { exitCode, stdout, stderr } = await workplace.run([...before, ...words]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/ works only on the machine where it runs, not on a server over HTTP/);
    expect(stderr).toContain(`leave out ${before[0]}, or run it on the server itself.`);
    expect(existsSync(join(workplace.folder, 'copy.db'))).toBe(false);
  });

  it('refuses them after its name, too', async () => {
    for (const words of [
      ['doctor', '--url', url],
      ['accounts', 'list', '--api-key', 'rb_live_x'],
    ]) {
      const { exitCode, stderr } = await workplace.run(words);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('leave out --')]);
    }
    const { exitCode, stderr } = await workplace.run(['operators', 'list', '--url', url]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('only a signed-in operator')]);
  });

  it.each([
    ['--profile', 'logout'],
    ['--url', 'login'],
  ])('says where %s belongs: after %s', async (option, name) => {
    const { exitCode, stderr } = await workplace.run([option, url, name]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^Write ${option} after .*${name}\``))]);
  });

  it('names the dashboard for what only a signed-in operator may do there', async () => {
    const { exitCode, stderr } = await workplace.run(['--url', url, 'login-link']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('only a signed-in operator')]);
  });

  it('works on it with REFBRIDGE_URL in the environment', async () => {
    const environment = { REFBRIDGE_URL: url, REFBRIDGE_API_KEY: 'rb_live_x' };
    const { exitCode, stdout } = await workplace.run(['accounts', 'list', '--json'], { environment });
    expect([exitCode, JSON.parse(stdout).data]).toEqual([0, expect.objectContaining({ length: 1 })]);
  });
});
