import { describe, expect, it } from 'vitest';
import { lacksFlags, serverFlags } from '../../src/cli/node-flags.ts';

const started = (changes: Partial<Parameters<typeof lacksFlags>[0]> = {}) =>
  lacksFlags({
    argv: ['/usr/bin/node', '/srv/node_modules/.bin/refbridge', 'serve'],
    execArgv: [],
    env: {},
    channel: undefined,
    platform: 'linux',
    versions: { node: '24.21.0' },
    ...changes,
  });

describe('the flags of an installed server', () => {
  it('are missing when nobody has set one, whatever other flags Node got', () => {
    expect(started()).toBe(true);
    expect(started({ execArgv: ['--enable-source-maps'], env: { NODE_OPTIONS: '--max-old-space-size=300' } })).toBe(
      true,
    );
  });

  it('are not added when one of them is set, and are set only once', () => {
    expect(started({ execArgv: [...serverFlags('')] })).toBe(false);
    expect(started({ execArgv: ['--maglev'] })).toBe(false);
    expect(started({ env: { NODE_OPTIONS: '--import ./watch.js --max_semi_space_size=16' } })).toBe(false);
  });

  it('let only Node 24 collect young garbage while it marks: 22 does by default, and 26 refuses the flag', () => {
    const flagsOf = (node: string) => serverFlags('', { node });
    expect(flagsOf('24.0.0')).toContain('--no-separate-gc-phases');
    expect(flagsOf('22.15.0')).not.toContain('--no-separate-gc-phases');
    expect(flagsOf('26.10.0')).toEqual(flagsOf('22.15.0'));
  });

  it('are for servers and long commands only, and only when replacing the process breaks nothing', () => {
    expect(started({ argv: ['/usr/bin/node', 'refbridge', 'export', '/backups/june'] })).toBe(true);
    expect(started({ argv: ['/usr/bin/node', 'refbridge', 'export'], execArgv: ['--max-semi-space-size=4'] })).toBe(
      false,
    );
    expect(started({ argv: ['/usr/bin/node', 'refbridge', 'sales', 'list'] })).toBe(false);
    expect(started({ argv: ['/usr/bin/node', 'refbridge', 'serve', '--help'] })).toBe(false);
    expect(started({ argv: ['/usr/bin/node', 'refbridge', 'serve', '--'] })).toBe(true);
    expect(started({ channel: {} })).toBe(false);
    expect(started({ platform: 'win32' })).toBe(false);
    expect(started({ versions: { node: '26.10.0' } })).toBe(true);
    expect(started({ versions: { node: '28.0.0' } })).toBe(false);
  });
});
