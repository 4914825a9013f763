import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { fromBuffer, type ZipFile } from 'yauzl';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { zipOfAccount } from '../../src/exchange/export-zip.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import { tableFile } from '../../src/exchange/manifest.ts';
import { NOT_DOWNLOADED, TABLES } from '../../src/exchange/tables.ts';
import type { Database, Transaction } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { createOperator } from '../helpers/operators.ts';
import { createTestService } from '../helpers/service.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

const unzip = promisify<Buffer, object, ZipFile>(fromBuffer);

/** The files of a zip by name. */
async function filesIn(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await unzip(bytes, { lazyEntries: true });
  const files = new Map<string, Buffer>();
  const open = promisify(zip.openReadStream.bind(zip)) as (entry: unknown) => Promise<NodeJS.ReadableStream>;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue;
    const chunks: Buffer[] = [];
    for await (const chunk of await open(entry)) chunks.push(chunk as Buffer);
    files.set(entry.fileName, Buffer.concat(chunks));
  }
  return files;
}

describe.each(engines)('an export over HTTP, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  let now = Date.UTC(2026, 10, 1);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'refbridge-download-'));
    app = await createTestApp(engine, { trustProxy: 1, service: { clock: () => now } });
    const referrer = await createReferrer(app, { discountCodes: ['=CODE'] });
    for (let sale = 0; sale < 300; sale += 1) await referrer.lead(unique('user'));
    expect((await app.call('DELETE', `/api/links/${(await createReferrer(app)).linkId}`)).status).toBe(204);
    await app.addAccount('Other');
    await createOperator(app, 'owner');
    await app.service.database.write(async (tx) => {
      const values = `SELECT 'signs-in-' || id, account_id, program_id, id, 0, 1 FROM partners`;
      await tx.run(
        `INSERT INTO embed_tokens (hash, account_id, program_id, partner_id, created_at, expires_at) ${values}`,
      );
      await tx.run(
        `INSERT INTO portal_codes (hash, account_id, program_id, partner_id, created_at, expires_at) ${values}`,
      );
      await tx.run(`UPDATE operators SET password = 'signs-in-by-scrypt'`);
    });
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });
  const create = async (): Promise<string> => (await app.call('POST', '/api/exports', { body: {} })).body.id;
  const download = async (id: string) => {
    const response = await fetch(`${app.url}/api/exports/${id}/download`, {
      headers: { authorization: `Bearer ${app.apiKey}` },
    });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  it('contains what the command writes, row by row, except what can sign somebody in, and can be imported', async () => {
    const created = await app.call('POST', '/api/exports', { body: {} });
    expect(created.status).toBe(202);
    expect(created.body).toMatchObject({ status: 'ready', downloads: 0, downloadedAt: null, rows: null });
    const { response, bytes } = await download(created.body.id);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="refbridge-2026-11-01.zip"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const files = await filesIn(bytes);
    const command = join(folder, 'command');
    const manifest = await exportAccount(app.service, app.accountId, { folder: command, programVersion: '1' });
    const own = JSON.parse(String(files.get('manifest.json')));
    for (const { name } of TABLES) {
      // every request with the key, and every change, adds a row
      if (['api_keys', 'audit_log'].includes(name)) continue;
      const text = String(files.get(`tables/${name}.jsonl`));
      const whole = await readFile(tableFile(command, name), 'utf8');
      const listed = ({ tables }: typeof manifest) => tables.find((table) => table.name === name);
      if (name in NOT_DOWNLOADED) {
        expect([name, text, listed(own)?.rows]).toEqual([name, '', 0]);
        expect(whole).not.toBe('');
        continue;
      }
      const expected = name === 'operators' ? whole.replaceAll('"signs-in-by-scrypt"', 'null') : whole;
      expect([name, text]).toEqual([name, expected]);
      if (name !== 'operators') expect(listed(own)).toEqual(listed(manifest));
    }
    for (const content of files.values()) expect(String(content)).not.toContain('signs-in-');
    expect(own.leftOut).toEqual({ ...manifest.leftOut, ...NOT_DOWNLOADED });
    for (const { file } of manifest.csv)
      expect(String(files.get(file))).toBe(await readFile(join(command, file), 'utf8'));
    expect(own).toMatchObject({ csv: manifest.csv, account: manifest.account });
    const got = (await app.call('GET', `/api/exports/${created.body.id}`)).body;
    expect(got).toMatchObject({ downloads: 1, rows: own.rows, downloadedAt: new Date(now).toISOString() });

    const unpacked = join(folder, 'unpacked');
    for (const [name, content] of files) {
      await mkdir(dirname(join(unpacked, name)), { recursive: true });
      await writeFile(join(unpacked, name), content);
    }
    const target = await createTestDatabase(engine === 'sqlite' ? 'postgres' : 'sqlite');
    const options = { folder: unpacked, isDryRun: false, sourceSealer: null };
    const imported = await importAccount(createTestService({ database: target.database }), options);
    expect(imported).toMatchObject({ imported: true, rows: own.rows });
    await target.remove();
  });

  it('contains nothing of another account, and no other account can read it', async () => {
    const other = await app.addAccount('Third');
    const id = await create();
    const key = { key: other.apiKey };
    for (const path of [`/api/exports/${id}`, `/api/exports/${id}/download`])
      expectError(await app.call('GET', path, key), 404, 'NOT_FOUND');
    expect((await app.call('GET', '/api/exports', key)).body.data).toEqual([]);
    const { bytes } = await download(id);
    for (const content of (await filesIn(bytes)).values()) expect(String(content)).not.toContain(other.accountId);
  });

  it('is for owners and for keys with full scope', async () => {
    const id = await create();
    for (const role of ['viewer', 'member'] as const) {
      const operator = await createOperator(app, role);
      expectError(await operator.call('GET', `/api/exports/${id}/download`), 403, 'FORBIDDEN');
      expectError(await operator.call('POST', '/api/exports', { body: {} }), 403, 'FORBIDDEN');
    }
    const { key } = (await app.call('POST', '/api/api-keys', { body: { name: 'reads', scope: 'read' } })).body;
    expectError(await app.call('GET', `/api/exports/${id}/download`, { key }), 403, 'FORBIDDEN');
    const owner = await createOperator(app, 'owner');
    expect((await owner.call('GET', `/api/exports/${id}/download`)).status).toBe(200);
  });

  it('is answered for one of two simultaneous requests, and for HEAD without a file', async () => {
    const id = await create();
    const path = `/api/exports/${id}/download`;
    const head = await fetch(app.url + path, { method: 'HEAD', headers: { authorization: `Bearer ${app.apiKey}` } });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(head.headers.get('content-length')).toBeNull();
    expect((await app.call('GET', `/api/exports/${id}`)).body).toMatchObject({ downloads: 0 });
    const asked = await Promise.all([app.call('GET', path), app.call('GET', path)]);
    expect(asked.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await app.call('GET', `/api/exports/${id}`)).body).toMatchObject({ downloads: 1 });
    expect((await app.call('GET', path)).status).toBe(200);
  });

  it('expires after a day', async () => {
    const id = await create();
    now += 24 * 3_600_000 - 1;
    expect((await app.call('GET', `/api/exports/${id}`)).body.status).toBe('ready');
    expect((await app.call('GET', `/api/exports/${id}/download`)).status).toBe(200);
    now += 1;
    const refused = await app.call('GET', `/api/exports/${id}/download`);
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toContain('POST /api/exports');
    expect((await app.call('GET', `/api/exports/${id}`)).body.status).toBe('expired');
  });

  it('contains a delivery of 2 MB, of which it never makes a text as a whole', async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const event = invoicePaid({ externalId: 'nobody' });
    Object.assign(event.data.object, { description: 'x'.repeat(2_000_000) });
    expect((await stripe.deliver(event)).status).toBe(200);
    const encoding = vi.spyOn(Buffer, 'from');
    const { bytes } = await download(await create());
    const texts = encoding.mock.calls.map(([text]: readonly unknown[]) => (typeof text === 'string' ? text.length : 0));
    encoding.mockRestore();
    const [line = ''] = String((await filesIn(bytes)).get('tables/deliveries.jsonl')).split('\n');
    expect(JSON.parse(Buffer.from(JSON.parse(line).body.base64, 'base64').toString())).toEqual(event);
    expect(Math.max(...texts)).toBeLessThan(256 * 1024);
  });

  it('ends with the failure of a query, and the process goes on', async () => {
    const { database, clock } = app.service;
    const failure = new Error('The connection to the database was lost');
    let queries = 0;
    const snapshot: Database['snapshot'] = (work) =>
      database.snapshot((tx) => {
        const all: Transaction['all'] = (sql, parameters) => {
          queries += 1;
          return queries > 10 ? Promise.reject(failure) : tx.all(sql, parameters);
        };
        return work({ ...tx, all });
      });
    const options = { programVersion: '0.0.0', onEnd: async () => {} };
    const reading = async () => {
      for await (const _ of zipOfAccount({ database: { ...database, snapshot }, clock }, app.accountId, options));
    };
    await expect(reading()).rejects.toBe(failure);
  });

  it('ends when nobody reads it, so that another one can start', async () => {
    // more than a connection's buffers hold
    await app.service.database.write((tx) =>
      tx.run(`UPDATE leads SET metadata = @metadata WHERE account_id = @accountId`, {
        accountId: app.accountId,
        metadata: JSON.stringify({
          noise: Buffer.from(crypto.getRandomValues(new Uint8Array(40_000))).toString('base64'),
        }),
      }),
    );
    const id = await create();
    const path = `/api/exports/${id}/download`;
    const stalled = httpRequest(app.url + path, { headers: { authorization: `Bearer ${app.apiKey}` } });
    stalled.on('error', () => {});
    const begun = new Promise<void>((resolve) => {
      stalled.on('response', (response) => response.once('readable', resolve));
    });
    stalled.end();
    await begun;
    const busy = await app.call('GET', path);
    expectError(busy, 409, 'CONFLICT');
    stalled.destroy();
    for (let tries = 0; tries < 100; tries += 1) {
      await sleep(20);
      if ((await app.call('GET', path)).status === 200) return;
    }
    throw new Error('The first download still counts');
  });
});
