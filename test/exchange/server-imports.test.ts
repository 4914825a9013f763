import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportRunner, startImportRunner } from '../../src/exchange/jobs/runner.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { hashTables } from '../helpers/end-state.ts';
import { expectError } from '../helpers/expect-error.ts';
import { unique } from '../helpers/story.ts';
import { placesOf } from '../privacy/places-of.ts';
import { importFile, sendFile, waitForImport } from './server-import.ts';

const CSV_TYPE = { 'content-type': 'text/csv' };

describe.each(engines)('an import that the server runs, on %s', (engine) => {
  let app: TestApp;
  let runner: ImportRunner;
  const lines: string[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
    app = await createTestApp(engine, { log });
    runner = startImportRunner(app.service, { pollMs: 20 });
  });
  afterAll(async () => {
    await runner.stop();
    await app.close();
  });
  const partners = async () => (await app.call('GET', '/api/partners?limit=100')).body.data;
  const people = (count: number, name: string) =>
    `E-mail,Name\n${Array.from({ length: count }, (_, n) => `${name}${n}@example.com,Person ${n}\n`).join('')}`;

  it('reads a CSV file in parts, in any order, and says for each refused row where it is and why', async () => {
    const text = `${people(30, 'ana')}not an address,Bob\nana1@example.com,Ana\n`;
    const before = await hashTables(app.service.database);
    const dry = await importFile(app.call, { kind: 'partners', text, dryRun: true, partSize: 100 });
    expect(dry).toMatchObject({
      status: 'completed',
      dryRun: true,
      kind: 'partners',
      progress: { rows: 32, share: 1 },
      counts: { created: 30, unchanged: 1, changed: 0, refused: 1, leftOut: 1 },
      refusedRows: [{ line: 32, kind: 'partners', id: null, reason: expect.stringContaining('e-mail address') }],
      leftOutRows: [{ line: 33, kind: 'partners', id: null, reason: expect.stringContaining('keeps its own name') }],
    });
    expect(await hashTables(app.service.database)).toEqual(before);
    expect(await partners()).toEqual([]);
    const real = await importFile(app.call, { kind: 'partners', text });
    expect(real).toMatchObject({ dryRun: false, counts: { ...dry.counts } });
    expect(await partners()).toHaveLength(30);
    const again = await importFile(app.call, { kind: 'partners', text });
    expect(again.counts).toMatchObject({ created: 0, unchanged: 31, refused: 1 });
    expect((await app.call('GET', '/api/imports')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      again.id,
      real.id,
      dry.id,
    ]);
  });

  it('stores nothing of the file, and masks addresses in its messages', async () => {
    const name = unique('gone');
    const text = `partner,key,url\n${name}@example.com,${unique('k')},https://shop.example.com/\n`;
    const { refusedRows } = await importFile(app.call, { kind: 'links', text });
    expect(refusedRows[0].reason).toContain('g…@example.com');
    const { error } = await importFile(app.call, { kind: 'partners', text: `${name}@example.com,Name of ${name}\n` });
    expect(error).toMatch(/^email: has no column: .*"heading=email"\. The first row of the file must hold/);
    expect(JSON.stringify(lines)).not.toContain(name);
    expect(await placesOf(app.service.database, name)).toEqual([]);
    const parts = await app.service.database.read((tx) => tx.all('SELECT number FROM import_parts'));
    expect(parts).toEqual([]);
  });

  it('refuses what it cannot run, and stores nothing', async () => {
    const ofFile = (settings: object) => ({
      source: 'csv',
      settings: { kind: 'partners', fileBytes: 10, ...settings },
    });
    const bad: [object, string][] = [
      [{}, 'source: must be one of csv, rewardful, dub, tolt, firstpromoter, partnerstack'],
      [{ source: 'refbridge', settings: {} }, 'source: must be one of csv'],
      [{ source: 'csv' }, 'settings: is required'],
      [ofFile({ kind: 'cats' }), 'settings.kind: must be one of partners'],
      [ofFile({ fileBytes: 0 }), 'settings.fileBytes: must not be 0'],
      [ofFile({ fileBytes: 60_000_000 }), 'settings.fileBytes: must be at most 52428800: split the file'],
      [ofFile({ fileBytes: 1.5 }), 'settings.fileBytes'],
      [ofFile({ columns: { Token: 1 } }), 'settings.columns.Token'],
      [ofFile({ path: '/etc/passwd' }), 'settings.path'],
      [{ source: 'rewardful', settings: { credentials: {} } }, 'settings.credentials.secret: is required'],
      [{ source: 'tolt', settings: { credentials: { key: 'k' } } }, 'settings.credentials.programId: is required'],
      [
        { source: 'dub', settings: { credentials: { key: 'k' }, apiUrl: 'http://169.254.169.254/' } },
        'settings.apiUrl: must be on a host that EVENT_ALLOWED_HOSTS names',
      ],
    ];
    for (const [body, message] of bad) {
      const answer = await app.call('POST', '/api/imports', { body });
      expectError(answer, 400, 'VALIDATION_ERROR');
      expect(answer.body.error.message).toContain(message);
    }
    const elsewhere = await app.call('POST', '/api/imports', { body: ofFile({ programId: 'prg_x' }) });
    expectError(elsewhere, 404, 'NOT_FOUND');
    expect((await app.call('GET', '/api/imports?limit=1')).body.data[0].endedAt).not.toBeNull();
  });

  it('fails with a sentence when the file cannot be read, and changes nothing', async () => {
    const files: [string | Buffer, RegExp][] = [
      ['Colour,Size\nred,1\n', /email: has no column/],
      ['email,name\n"ana@example.com,Ana\n', /ends inside the quotes/],
      [Buffer.from('email,name\nj\xf6rg@example.com,J\xf6rg\n', 'latin1'), /not UTF-8/],
      [' \n', /needs a row of headings/],
    ];
    for (const [text, error] of files) {
      const failed = await importFile(app.call, { kind: 'partners', text });
      expect([failed.status, failed.error]).toEqual(['failed', expect.stringMatching(error)]);
    }
    expect(await partners()).toHaveLength(30);
  });

  it('accepts the file only as announced, and one import at a time', async () => {
    const other = await app.addAccount('Other');
    const key = { key: other.apiKey };
    const body = { source: 'csv', settings: { kind: 'partners', fileBytes: 26 } };
    const { id } = (await app.call('POST', '/api/imports', { body })).body;
    const put = (part: string, text: string, more = {}) =>
      app.call('PUT', `/api/imports/${id}/file?part=${part}`, { body: text, headers: CSV_TYPE, ...more });
    const second = await app.call('POST', '/api/imports', { body });
    expectError(second, 409, 'CONFLICT');
    expect(second.body.error.message).toContain(`POST /api/imports/${id}/cancel`);
    // another account has its own import, and sees nothing of this one
    const theirs = (await app.call('POST', '/api/imports', { body, ...key })).body.id;
    for (const answer of [
      await app.call('GET', `/api/imports/${id}`, key),
      await app.call('POST', `/api/imports/${id}/cancel`, key),
      await put('1', 'email,name\n', key),
    ])
      expectError(answer, 404, 'NOT_FOUND');
    expect((await app.call('GET', '/api/imports', key)).body.data).toMatchObject([{ id: theirs }]);
    expectError(await put('0', 'email,name\n'), 400, 'VALIDATION_ERROR');
    expectError(await put('1', ''), 400, 'VALIDATION_ERROR');
    const large = await put('2', 'x'.repeat(3 * 1024 * 1024));
    expectError(large, 413, 'PAYLOAD_TOO_LARGE');
    expect(large.body.error.message).toContain('in parts');
    const zipped = await put('2', 'x', { headers: { ...CSV_TYPE, 'content-encoding': 'gzip' } });
    expectError(zipped, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(zipped.body.error.message).toContain('send the bytes uncompressed');
    expectError(await put('1', 'x'.repeat(27)), 400, 'VALIDATION_ERROR');
    expectError(await put('2', 'x'.repeat(26)), 400, 'VALIDATION_ERROR');
    expect((await put('2', 'c1@example.com,')).body).toMatchObject({
      status: 'uploading',
      file: { receivedBytes: 15 },
    });
    // sent again after a lost answer
    expect((await put('2', 'c1@example.com,')).body.file).toEqual({ bytes: 26, receivedBytes: 15 });
    expect((await put('1', 'email,name\n')).body.status).toBe('waiting');
    expect(await waitForImport(app.call, id)).toMatchObject({ counts: { created: 1 } });
    expectError(await put('1', 'email,name\n'), 409, 'INVALID_STATE');
    expectError(await app.call('POST', `/api/imports/${id}/cancel`), 409, 'INVALID_STATE');
    const canceled = await app.call('POST', `/api/imports/${theirs}/cancel`, key);
    expect(canceled.body).toMatchObject({ status: 'canceled', endedAt: expect.any(String) });
  });

  it('can be canceled while it runs, and keeps what it has stored', async () => {
    const before = (await partners()).length;
    const id = await sendFile(app.call, { kind: 'customers', text: customersOf(await partners(), 20_000) });
    await waitForImport(
      app.call,
      id,
      ({ progress }: { progress?: { rows: number } | null } & { endedAt: string | null }) => {
        return (progress?.rows ?? 0) > 0;
      },
    );
    expect((await app.call('POST', `/api/imports/${id}/cancel`)).body.status).toBe('canceled');
    // its last row may still be stored
    const early = await app.call('DELETE', `/api/partners/${(await partners())[0].id}/personal-data`);
    expectError(early, 409, 'INVALID_STATE');
    expect(early.body.error.message).toContain(`${id} was canceled just now`);
    await runnerIsIdle();
    const { customers } = await count('customers');
    expect(customers).toBeGreaterThan(0);
    expect(customers).toBeLessThan(20_000);
    const row = await app.call('GET', `/api/imports/${id}`);
    expect(row.body).toMatchObject({ status: 'canceled' });
    expect(await count('import_parts')).toEqual({ import_parts: 0 });
    expect((await partners()).length).toBe(before);
  });

  it('prevents the erasure of persons whom it may name until it ends', async () => {
    const [{ id: partnerId, email }] = await partners();
    const body = { source: 'csv', settings: { kind: 'partners', fileBytes: 10 } };
    const { id } = (await app.call('POST', '/api/imports', { body })).body;
    const erase = () => app.call('DELETE', `/api/partners/${partnerId}/personal-data`);
    const refused = await erase();
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toContain(id);
    await app.call('POST', `/api/imports/${id}/cancel`);
    // a run that was canceled before may still store a row for a while
    await expect.poll(async () => (await erase()).status).toBe(204);
    expect(await placesOf(app.service.database, email)).toEqual([]);
  });

  it('deletes messages about rows when somebody is erased, and its settings when it has ended', async () => {
    const text = `Token of Zoe,key,url\nZoe Unal,${unique('k')},https://shop.example.com/\n`;
    const settings = { columns: { 'Token of Zoe': 'partner' } };
    const { id, refusedRows } = await importFile(app.call, { kind: 'links', text, settings });
    expect(refusedRows).toHaveLength(1);
    expect(await placesOf(app.service.database, 'Token of Zoe')).toEqual([]);
    const [{ id: partnerId }] = await partners();
    const erase = () => app.call('DELETE', `/api/partners/${partnerId}/personal-data`);
    // a run that was canceled before may still store a row for a while
    await expect.poll(async () => (await erase()).status).toBe(204);
    expect((await app.call('GET', `/api/imports/${id}`)).body).toMatchObject({ kind: 'links', refusedRows: [] });
    expect(await placesOf(app.service.database, 'Zoe Unal')).toEqual([]);
  });

  function customersOf([partner]: { id: string }[], rows: number): string {
    const own = unique('c');
    return `externalId,partner\n${Array.from({ length: rows }, (_, n) => `${own}-${n},${partner?.id}\n`).join('')}`;
  }
  async function count(table: string): Promise<Record<string, number>> {
    const row = await app.service.database.read((tx) => tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`));
    return { [table]: row?.n ?? -1 };
  }
  /** Settles when nothing changes any more: a canceled run ends between two rows. */
  async function runnerIsIdle(): Promise<void> {
    await runner.stop();
    runner = startImportRunner(app.service, { pollMs: 20 });
  }
});

it.each(engines)('takes the last part of a file again before an import on %s has run', async (engine) => {
  const app = await createTestApp(engine);
  try {
    const body = { source: 'csv', settings: { kind: 'partners', fileBytes: 12 } };
    const { id } = (await app.call('POST', '/api/imports', { body })).body;
    const put = (part: number, bytes: string) =>
      app.call('PUT', `/api/imports/${id}/file?part=${part}`, { body: bytes, headers: CSV_TYPE });
    expect((await put(1, 'email,')).body.status).toBe('uploading');
    const waiting = { status: 200, body: expect.objectContaining({ id, status: 'waiting', endedAt: null }) };
    for (const answer of await Promise.all([put(2, 'name\n\n'), put(2, 'name\n\n')])) {
      expect(answer).toMatchObject(waiting);
    }
    expect(await put(1, 'email,')).toMatchObject(waiting);
    expectError(await put(2, 'NAME\n\n'), 409, 'INVALID_STATE');
    expectError(await put(3, 'name\n\n'), 409, 'INVALID_STATE');
    expectError(await put(2, ''), 409, 'INVALID_STATE');
    await app.call('POST', `/api/imports/${id}/cancel`);
    expectError(await put(2, 'name\n\n'), 409, 'INVALID_STATE');
  } finally {
    await app.close();
  }
});
