import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkplace, type Workplace } from './run-cli.ts';

describe('refbridge reencrypt', () => {
  let workplace: Workplace;
  let keyFile: string;
  let previous: string;
  let environment: Record<string, string>;
  beforeEach(async () => {
    workplace = createWorkplace();
    keyFile = join(workplace.folder, 'data/secret.key');
    await workplace.json('setup');
    await workplace.json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_example');
    previous = readFileSync(keyFile, 'utf8').trim();
    environment = { SECRET_KEY_FALLBACKS: previous };
  });
  afterEach(() => workplace.remove());

  const run = async (...words: string[]) => {
    const { exitCode, stdout, stderr } = await workplace.run([...words, '--json'], { environment });
    return { exitCode, stderr, body: stdout === '' ? null : JSON.parse(stdout) };
  };
  const checkOfKey = async () => {
    const { body } = await run('doctor');
    return body.checks.find(({ check }: { check: string }) => check === 'secret key');
  };

  it('replaces the key file, after which the previous key is needed no more', async () => {
    renameSync(keyFile, `${keyFile}.old`);
    expect(await checkOfKey()).toMatchObject({ status: 'warning', advice: expect.stringContaining('reencrypt') });
    expect(existsSync(keyFile)).toBe(false);
    expect(await run('reencrypt')).toMatchObject({
      exitCode: 0,
      body: { reencrypted: 1, alreadyCurrent: 0, unreadable: [] },
    });
    expect(readFileSync(keyFile, 'utf8').trim()).not.toBe(previous);
    expect(await checkOfKey()).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('nothing is encrypted'),
    });
    environment = {};
    expect(await checkOfKey()).toBeUndefined();
    const { body } = await run('doctor');
    expect(body.healthy).toBe(true);
  });

  it('replaces the key of the environment, and may be repeated', async () => {
    environment.SECRET_KEY = Buffer.alloc(32, 3).toString('base64');
    expect((await run('reencrypt')).body).toEqual({ reencrypted: 1, alreadyCurrent: 0, unreadable: [] });
    const again = await workplace.run(['reencrypt'], { environment });
    expect(again).toMatchObject({ exitCode: 0, stdout: '' });
    expect(again.stderr).toContain('Already encrypted with this key: 1');
    expect(again.stderr).toContain('SECRET_KEY_FALLBACKS is no longer needed');
  });

  it('names what no key opens', async () => {
    const { id } = (await run('endpoints', 'list')).body.data[0];
    environment = {
      SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
      SECRET_KEY_FALLBACKS: Buffer.alloc(32, 4).toString('hex'),
    };
    const { exitCode, stdout, stderr } = await workplace.run(['reencrypt'], { environment });
    expect([exitCode, stdout.trim()]).toEqual([1, id]);
    expect(stderr).toContain('add the key that does to SECRET_KEY_FALLBACKS');
    expect(await checkOfKey()).toMatchObject({ status: 'failed', message: expect.stringContaining(id) });
  });

  it('refuses to create a key file beside a server, which would go on with the previous one', async () => {
    const server = workplace.start('serve');
    await server.saw(/listening/);
    renameSync(keyFile, `${keyFile}.old`);
    expect(await run('reencrypt')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Stop it first') });
    expect(existsSync(keyFile)).toBe(false);
    renameSync(`${keyFile}.old`, keyFile);
    expect(await run('reencrypt')).toMatchObject({ exitCode: 0, body: { alreadyCurrent: 1 } });
    await server.stop();
    renameSync(keyFile, `${keyFile}.old`);
    expect(await run('reencrypt')).toMatchObject({ exitCode: 0, body: { reencrypted: 1 } });
  });

  it('refuses to start without a previous key, and a database whose key neither it nor a fallback is', async () => {
    environment = {};
    expect(await run('reencrypt')).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('--help') });
    renameSync(keyFile, `${keyFile}.old`);
    environment = { SECRET_KEY_FALLBACKS: Buffer.alloc(32, 4).toString('hex') };
    expect(await run('reencrypt')).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('is missing') });
    expect(existsSync(keyFile)).toBe(false);
  });
});
