import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** The output of a separate process, because logs go directly to stderr. */
function written(format: string, level: string, more = ''): { stdout: string; stderr: string } {
  const script = `
    import { createLog } from './src/process/log.ts';
    const log = createLog('${level}', '${format}');
    log.debug('details');
    log.info({ port: 3000, path: '/api' }, 'listening');
    log.warn({ secret: 'whsec_example', endpoint: { authorization: 'Bearer example', id: 'whe_1' } }, 'by mistake');
    log.error({ err: new Error('of a bug') }, 'request failed');
    ${more}
  `;
  const result = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  return { stdout: result.stdout, stderr: result.stderr };
}

describe('the log', () => {
  it('is one JSON object per line on stderr, and leaves stdout to data', () => {
    const { stdout, stderr } = written('json', 'info');
    expect(stdout).toBe('');
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
      'info listening',
      'warn by mistake',
      'error request failed',
    ]);
    expect(lines[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/Z$/),
      port: 3000,
      path: '/api',
      msg: 'listening',
    });
    expect(lines[2].err).toMatchObject({ type: 'Error', message: 'of a bug', stack: expect.stringContaining('at ') });
  });

  it('is one readable line per entry in pretty format, with the stack of an error', () => {
    const lines = written('pretty', 'info').stderr.trim().split('\n');
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}listening port=3000 path=\/api$/);
    expect(lines[2]).toMatch(/ error request failed$/);
    expect(lines[3]).toBe('Error: of a bug');
  });

  it.each([
    ['json', '"path":"/\\u001b[2J\\u009b2J\\u202e\\r\\nforged"'],
    ['pretty', 'path=/\\u001b[2J\\u009b2J\\u202e\\u000d\\u000aforged\n'],
  ])('escapes control characters as %s, so that no request can rewrite a terminal', (format, expected) => {
    const more = "log.warn({ path: '/\\u001b[2J\\u009b2J\\u202e\\r\\nforged' }, 'seen');";
    const { stderr } = written(format, 'info', more);
    expect(stderr).toContain(expected);
    expect(stderr.trim().split('\n').at(-1)).toContain('seen');
  });

  it.each(['json', 'pretty'])('redacts a secret that was logged by mistake, as %s', (format) => {
    const { stderr } = written(format, 'info');
    expect(stderr).toContain('whe_1');
    expect(stderr).not.toMatch(/whsec_example|Bearer example/);
  });

  it('respects its level', () => {
    expect(written('json', 'debug').stderr).toContain('details');
    expect(written('json', 'error').stderr.trim().split('\n')).toHaveLength(1);
    expect(written('json', 'silent').stderr).toBe('');
  });
});
