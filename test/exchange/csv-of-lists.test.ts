import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { importCsvText } from './import-text.ts';

describe.each(engines)('an import of a list that was exported as CSV, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-lists-'));
  });
  afterAll(() => Promise.all([app.close(), rm(folder, { recursive: true, force: true })]));

  it('reads discount codes, whatever is in them', async () => {
    const discountCodes = ['SPRING, 20', 'Summer "26"', 'WINTER10'];
    const body = { name: 'Gil', email: 'gil@example.com', discountCodes };
    const { id } = (await app.call('POST', '/api/partners', { body })).body;
    const { text } = await app.call('GET', '/api/partners?format=csv');
    expect(await importCsvText(app, folder, 'partners', { text })).toMatchObject({ created: 0, refused: 0 });
    expect((await app.call('GET', `/api/partners/${id}`)).body).toMatchObject({ discountCodes });
  });

  it('reads names that a spreadsheet would evaluate as they are', async () => {
    const names = ['@hana', '=1+1', "'t Hooft", "'-quoted"];
    for (const [index, name] of names.entries()) {
      const body = { name, email: `formula${index}@example.com` };
      expect((await app.call('POST', '/api/partners', { body })).status).toBe(201);
    }
    const { text } = await app.call('GET', '/api/partners?format=csv');
    expect(text).toContain(`"'@hana"`);
    const elsewhere = await app.addAccount('Elsewhere Ltd');
    const account = { ...app, accountId: elsewhere.accountId };
    expect(await importCsvText(account, folder, 'partners', { text })).toMatchObject({ refused: 0 });
    const { data } = (await app.call('GET', '/api/partners?limit=100', { key: elsewhere.apiKey })).body;
    const found = data.filter(({ email }: { email: string }) => email.startsWith('formula'));
    expect(found.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort());
  });
});
