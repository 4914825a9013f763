import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportRunner, startImportRunner } from '../../src/exchange/jobs/runner.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { listenLocally } from '../helpers/listen-locally.ts';
import { unique } from '../helpers/story.ts';
import { declareStub } from '../helpers/test-servers.ts';
import { placesOf } from '../privacy/places-of.ts';
import { waitForImport } from './server-import.ts';
import { rewardfulFixture } from './sources/rewardful.ts';
import { type SourceServer, startSource } from './sources/server.ts';

/** A service that can be told to refuse the credentials of its first request. */
async function startHeldService() {
  const server = createServer();
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const url = await listenLocally(server);
  declareStub(url);
  return {
    url,
    asked,
    async refuse() {
      const [, response] = await asked;
      response.writeHead(401).end();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe.each(engines)('an import from another service that the server runs, on %s', (engine) => {
  let app: TestApp;
  let runner: ImportRunner;
  const lines: string[] = [];
  beforeAll(async () => {
    const into = new Writable({
      write(chunk, _, done) {
        lines.push(String(chunk));
        done();
      },
    });
    app = await createTestApp(engine, { log: pino({ level: 'trace' }, into) });
    runner = startImportRunner(app.service, { pollMs: 20 });
    const authorization = `Basic ${Buffer.from(`${secret}:`).toString('base64')}`;
    source = await startSource({ ...rewardfulFixture, headers: { authorization } });
  });
  afterAll(async () => {
    await runner.stop();
    await app.close();
    await source.close();
  });
  let source: SourceServer;
  const secret = `rw_secret_${unique('s')}`;
  const importIt = async (more: object = {}, given = secret) => {
    const settings = { credentials: { secret: given }, apiUrl: source.url, linkUrl: 'https://shop.example.com/' };
    return app.call('POST', '/api/imports', { body: { source: 'rewardful', settings, ...more } });
  };

  it('reads its API, reports the results by kind, and never reveals the secret', async () => {
    const created = await importIt({ dryRun: true });
    expect(created.status).toBe(202);
    // sealed while it waits
    expect(await placesOf(app.service.database, secret)).toEqual([]);
    const dry = await waitForImport(app.call, created.body.id);
    expect(dry).toMatchObject({ status: 'completed', source: 'rewardful', file: null, progress: { share: null } });
    const real = await waitForImport(app.call, (await importIt()).body.id);
    const kinds = Object.fromEntries(real.byKind.map((of: { kind: string }) => [of.kind, of]));
    expect(kinds).toMatchObject({ partner: { created: 2, refused: 1 }, commission: { created: 4, refused: 3 } });
    expect(real.refusedRows).toContainEqual({
      line: null,
      kind: 'commission',
      id: 'com-4',
      reason: expect.stringContaining('thinking'),
    });
    expect(real.leftOutRows.length).toBeGreaterThan(0);
    expect(await waitForImport(app.call, (await importIt()).body.id)).toMatchObject({ counts: { created: 0 } });
    expect(await placesOf(app.service.database, secret)).toEqual([]);
    const sealed = await app.service.database.read((tx) =>
      tx.all('SELECT id FROM imports WHERE sealed_secrets IS NOT NULL'),
    );
    expect(sealed).toEqual([]);
    expect(JSON.stringify([created.body, dry, real, lines])).not.toContain(secret);
  });

  it('fails with advice when the secret is wrong', async () => {
    const failed = await waitForImport(app.call, (await importIt({}, 'wrong')).body.id);
    expect([failed.status, failed.error]).toEqual(['failed', expect.stringContaining('refused the credentials (401)')]);
  });

  it('refuses a credential that is invalid in a header, and reveals it nowhere', async () => {
    for (const end of ['\nX-More: 1', '\u0000', '\u20ac', 'a b']) {
      const key = `${unique('dub_secret')}${end}`;
      const body = { source: 'dub', settings: { credentials: { key }, apiUrl: source.url } };
      const answer = await app.call('POST', '/api/imports', { body });
      const made = answer.status === 202 ? await waitForImport(app.call, answer.body.id) : null;
      const [start = ''] = key.split(end);
      expect(JSON.stringify([answer.body, made, lines])).not.toContain(start);
      expect(await placesOf(app.service.database, start)).toEqual([]);
      expectError(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain('settings.credentials.key: must');
    }
  });

  it('leaves its file to the process that has taken it over, also when it fails here', async () => {
    const held = await startHeldService();
    const settings = { credentials: { secret }, apiUrl: held.url };
    const { id } = (await app.call('POST', '/api/imports', { body: { source: 'rewardful', settings } })).body;
    await held.asked;
    const { database } = app.service;
    await database.write(async (tx) => {
      await tx.run(`UPDATE imports SET leased_by = 'other', leased_until = @later, due_at = @later WHERE id = @id`, {
        id,
        later: Date.now() + 3_600_000,
      });
      await tx.run(`INSERT INTO import_parts (import_id, number, bytes, content) VALUES (@id, 1, 1, 'x')`, { id });
    });
    await held.refuse();
    await expect.poll(() => lines.filter((line) => line.includes(id)).join('')).toMatch(/taken over|failed/);
    expect((await app.call('GET', `/api/imports/${id}`)).body).toMatchObject({ status: 'running', error: null });
    const parts = () => database.read((tx) => tx.all('SELECT number FROM import_parts WHERE import_id = @id', { id }));
    expect(await parts()).toHaveLength(1);
    expect((await app.call('POST', `/api/imports/${id}/cancel`)).body.status).toBe('canceled');
    expect(await parts()).toEqual([]);
    held.close();
  });

  it('is named in the audit log, with who did it', async () => {
    const entries = await app.service.database.read((tx) =>
      tx.all<{ action: string; actor: string }>('SELECT action, actor_name AS actor FROM audit_log'),
    );
    const actions = new Set(entries.map(({ action }) => action));
    expect([...actions]).toEqual(expect.arrayContaining(['import.create', 'account.import']));
  });
});
