import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../src/main.ts';
import { readConfig } from '../../src/process/config.ts';
import { ConfigError } from '../../src/process/config-error.ts';
import { createWorkplace, type Workplace } from '../cli/run-cli.ts';

describe('a database without its secret.key', () => {
  let workplace: Workplace;
  let key: string;
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  const start = () =>
    startServer(readConfig({ PORT: '0', DATABASE_URL: `file:${join(workplace.folder, 'data/refbridge.db')}` }), log);
  beforeEach(async () => {
    workplace = createWorkplace();
    key = join(workplace.folder, 'data/secret.key');
    lines.length = 0;
    await workplace.json('setup');
  });
  afterEach(() => workplace.remove());
  const createEndpoint = () =>
    workplace.json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_example');

  const createEventEndpoint = () =>
    workplace.json('events', 'endpoints', 'create', '--url', 'https://example.com/hook', '--types', 'sale.created');

  it.each([
    ['a webhook endpoint', createEndpoint],
    ['an event endpoint', createEventEndpoint],
  ])('is refused while it has the secret of %s, with advice, and gets no new key', async (_, create) => {
    await create();
    rmSync(key);
    await expect(start()).rejects.toThrow(ConfigError);
    await expect(start()).rejects.toThrow(/secret\.key is missing.*restore the file from your backup/);
    for (const words of [['doctor'], ['sales', 'list']]) {
      const { exitCode, stdout, stderr } = await workplace.run(words);
      expect([words, exitCode]).toEqual([words, words[0] === 'doctor' ? 1 : 4]);
      expect(stdout + stderr).toContain('restore the file from your backup');
    }
    expect(existsSync(key)).toBe(false);
  });

  it('is served as soon as the key is back', async () => {
    await createEndpoint();
    renameSync(key, `${key}.away`);
    await expect(start()).rejects.toThrow(ConfigError);
    renameSync(`${key}.away`, key);
    await (await start()).close();
    expect(lines).toEqual([]);
  });

  it('gets no key from doctor, but one from the server and with the first secret', async () => {
    rmSync(key);
    await workplace.run(['doctor']);
    expect(existsSync(key)).toBe(false);
    await (await start()).close();
    expect(existsSync(key)).toBe(true);
    rmSync(key);
    await createEndpoint();
    expect(existsSync(key)).toBe(true);
  });

  it.each([
    ['a webhook endpoint', createEndpoint],
    ['an event endpoint', createEventEndpoint],
  ])('is reported at the start when the secret of %s needs another key', async (_, create) => {
    await create();
    writeFileSync(key, Buffer.alloc(32, 9).toString('base64'));
    await (await start()).close();
    expect(lines).toEqual([
      expect.objectContaining({
        level: 50,
        endpoints: 1,
        msg: expect.stringContaining('add that key to SECRET_KEY_FALLBACKS'),
      }),
    ]);
  });
});
