import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rewardfulFixture } from '../exchange/sources/rewardful.ts';
import { type SourceServer, startSource } from '../exchange/sources/server.ts';
import { freePort } from '../helpers/free-port.ts';
import { createWorkplace } from './run-cli.ts';

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const workplace = createWorkplace({
  PORT: String(port),
  HOST: '127.0.0.1',
  BASE_URL: url,
  EVENT_ALLOWED_HOSTS: '127.0.0.1',
  ...rewardfulFixture.environment,
});
let source: SourceServer;
let remote: string[];

beforeAll(async () => {
  source = await startSource(rewardfulFixture);
  const server = workplace.start('serve');
  await server.saw(/listening/);
  const { apiKey } = await workplace.json('setup', '--name', 'Example Ltd');
  remote = ['--url', url, '--api-key', apiKey];
});
afterAll(async () => {
  await workplace.remove();
  await source.close();
});
const fileOf = async (name: string, text: string) => {
  const path = join(workplace.folder, name);
  await writeFile(path, text);
  return path;
};

describe('remote import and export', () => {
  it('import csv sends the file, and prints the same as beside the database', async () => {
    const file = await fileOf(
      'partners.csv',
      'email,name,Notes\nana@example.com,Ana,x\nno address,Bob,x\nana@example.com,Anna,x\n',
    );
    const [{ name: program }] = (await workplace.json('programs', 'list')).data;
    const words = ['import', 'csv', file, '--kind', 'partners', '--program', program, '--json'];
    const local = await workplace.run([...words, '--dry-run']);
    const dry = await workplace.run([...remote, ...words, '--dry-run']);
    expect([dry.exitCode, dry.stderr]).toEqual([1, '']);
    const withoutKeys = (text: string) => JSON.parse(text.replaceAll(/"key":\s*"[^"]*"/g, '"key": ""'));
    expect(withoutKeys(dry.stdout)).toEqual(withoutKeys(local.stdout));
    expect((await workplace.json('partners', 'list')).data).toEqual([]);
    const real = await workplace.run([...remote, 'import', 'csv', file, '--kind', 'partners']);
    expect(real.stderr).toContain('✗ line 3: email: must be an e-mail address');
    expect(real.stderr).toContain('– line 4: The partner is here, and keeps its own name');
    expect(real.stderr).toContain('3 rows: 1 created, 0 changed, 1 unchanged, 1 refused.');
    expect((await workplace.json('partners', 'list')).data).toMatchObject([{ email: 'ana@example.com' }]);
  });

  it('import csv reports errors in the file, and what is impossible remotely', async () => {
    const file = await fileOf('wrong.csv', 'colour\nred\n');
    const failed = await workplace.run([...remote, 'import', 'csv', file, '--kind', 'partners']);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('email: has no column')]);
    const report = await workplace.run([...remote, 'import', 'csv', file, '--kind', 'partners', '--report', 'r.csv']);
    expect([report.exitCode, report.stderr]).toEqual([2, expect.stringContaining('--report needs the database')]);
    const many = await fileOf('many.csv', `email\n${'no address\n'.repeat(101)}`);
    const { stderr } = await workplace.run([...remote, 'import', 'csv', many, '--kind', 'partners']);
    expect(stderr).toContain('… and 1 more: to see all, run the command beside the database with --report');
  });

  it('import rewardful makes the server read it, with a secret that is not printed', async () => {
    const words = [
      'import',
      'rewardful',
      '--api-url',
      source.url,
      '--link-url',
      'https://shop.example.com/',
      '--dry-run',
    ];
    const local = JSON.parse((await workplace.run([...words, '--json'])).stdout);
    const there = await workplace.run([...remote, ...words, '--json']);
    const { problems, ...counts } = JSON.parse(there.stdout);
    expect({ ...counts, problems: [] }).toEqual({ ...local, problems: [] });
    expect(problems).toHaveLength(local.problems.length);
    expect(there.stdout + there.stderr).not.toContain(rewardfulFixture.environment.REWARDFUL_API_SECRET);
  });

  it('import dub refuses a key that is invalid in a header, locally and remotely, without printing it', async () => {
    const environment = { DUB_API_KEY: 'dub_secret_1\nX-More: 1' };
    for (const words of [
      ['import', 'dub'],
      [...remote, 'import', 'dub'],
    ]) {
      const { exitCode, stdout, stderr } = await workplace.run(words, { environment });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('DUB_API_KEY must have only')]);
      expect(stdout + stderr).not.toContain('dub_secret_1');
    }
  });

  it('export writes a zip that only its owner can read, and deletes an incomplete one', async () => {
    const file = join(workplace.folder, 'everything.zip');
    const exported = await workplace.run([...remote, 'export', file, '--json']);
    expect([exported.exitCode, exported.stderr]).toEqual([0, '']);
    expect(JSON.parse(exported.stdout)).toMatchObject({ file, downloads: 1, rows: expect.any(Number) });
    expect((await readFile(file)).subarray(0, 2).toString()).toBe('PK');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await workplace.run([...remote, 'export', file]);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('name a new file')]);
    const folder = await workplace.run([...remote, 'export', join(workplace.folder, 'folder')]);
    expect([folder.exitCode, folder.stderr]).toEqual([2, expect.stringContaining('folder.zip')]);
    const wrong = join(workplace.folder, 'refused.zip');
    const refused = await workplace.run(['--url', url, '--api-key', 'rb_live_wrong', 'export', wrong]);
    expect(refused.exitCode).not.toBe(0);
    await expect(stat(wrong)).rejects.toThrow('ENOENT');
  });
});
