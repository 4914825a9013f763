import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { freePort } from '../helpers/free-port.ts';
import { blocksOf } from '../helpers/markdown.ts';
import { ROOT } from '../helpers/source-modules.ts';

const run = promisify(execFile);

const blocks = (page: string, language: string) =>
  blocksOf({ path: page, text: readFileSync(join(ROOT, page), 'utf8') }, language);

describe('the steps of moving from', () => {
  let app: TestApp;
  beforeAll(async () => {
    const port = await freePort();
    app = await createTestApp('sqlite', { port, service: { baseUrl: `http://127.0.0.1:${port}` } });
  });
  afterAll(() => app.close());

  /**
   * Runs a command as somebody would type it, with the key and the program in the environment. Asynchronous, because
   * the service runs in this process.
   */
  async function typed(command: string, ...parameters: string[]): Promise<string> {
    const here = (text: string) => text.replaceAll('https://refer.example.com', app.url);
    const env = { PATH: process.env.PATH, REFBRIDGE_API_KEY: app.apiKey, PROGRAM_ID: app.programId };
    const { stdout } = await run(command, parameters.map(here), { cwd: ROOT, env });
    return stdout;
  }
  const program = async () => (await app.call('GET', `/api/programs/${app.programId}`)).body;

  it('Dub work as written', async () => {
    // exchange/source-guides.test.ts runs the import before it
    const [imports, patch = '', ...others] = blocks('docs/moving/dub.md', 'sh');
    expect(imports).toMatch(/^refbridge import dub /);
    expect(others).toEqual([]);
    await typed('sh', '-c', patch);
    expect(await program()).toMatchObject({ clickParameters: ['svc_id', 'dub_id'], viaParameters: ['via'] });
    const [script = ''] = blocks('docs/moving/dub.md', 'js');
    expect(await typed(process.execPath, '--input-type=module', '-e', script)).toBe('4900 980\n');
    expect((await app.call('GET', '/api/sales')).body.data).toMatchObject([{ invoiceId: 'in_1', partnerName: 'Ana' }]);
  });

  it('Refport work as written', async () => {
    const commands = blocks('docs/moving/refport.md', 'sh');
    expect(commands).toHaveLength(3);
    const answers: string[] = [];
    for (const command of commands) answers.push(await typed('sh', '-c', command));
    expect(await program()).toMatchObject({
      clickParameters: ['svc_id', 'refp_id'],
      portal: { allowedOrigins: ['https://app.example.com'] },
    });
    const { publicToken } = JSON.parse(answers[2] ?? '');
    expect((await app.call('GET', `/embed/referrals?token=${publicToken}`, { key: null })).status).toBe(200);
  });
});
