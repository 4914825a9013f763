import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportRunner, startImportRunner } from '../../src/exchange/jobs/runner.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';
import { importFile } from './server-import.ts';

const SILENCE_MS_MAX = 1_500;

describe.each(engines)('imports from services that do not answer, on %s', (engine) => {
  let app: TestApp;
  let runner: ImportRunner;
  let silent: LocalServer;
  const asked: ServerResponse[] = [];
  beforeAll(async () => {
    app = await createTestApp(engine);
    runner = startImportRunner(app.service, { pollMs: 20, silenceMsMax: SILENCE_MS_MAX });
    silent = await serveNode((_, response) => void asked.push(response));
  });
  afterAll(async () => {
    await runner.stop();
    await app.close();
    await silent.close();
  });

  it('make room for other imports, and are begun again later', async () => {
    const body = { source: 'rewardful', settings: { credentials: { secret: 'rw_secret' }, apiUrl: silent.url } };
    const hanging = [];
    for (const name of ['First', 'Second']) {
      const { apiKey: key } = await app.addAccount(name);
      const { id } = (await app.call('POST', '/api/imports', { body, key })).body;
      hanging.push({ id, key });
    }
    await expect.poll(() => asked.length).toBe(2);

    const file = { kind: 'partners', text: 'email,name\nana@example.com,Ana\n' };
    expect(await importFile(app.call, file)).toMatchObject({ status: 'completed', counts: { created: 1 } });
    for (const { id, key } of hanging) {
      // one place is enough for the other import, so the second may end after it
      await expect
        .poll(async () => (await app.call('GET', `/api/imports/${id}`, { key })).body)
        .toMatchObject({
          status: 'waiting',
          attempts: 1,
          error: expect.stringContaining('No row and no answer came'),
        });
    }
  });
});
