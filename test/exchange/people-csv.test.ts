import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';
import { comparePeopleFiles } from './people-files.ts';

describe.each(engines)('the files for spreadsheets in an export, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-people-'));
  });
  afterAll(() => Promise.all([app.close(), rm(folder, { recursive: true, force: true })]));

  it('have the rows of the lists: archived ones as such, deleted ones not at all', async () => {
    const [kept, archived, deleted] = [await createReferrer(app), await createReferrer(app), await createReferrer(app)];
    await sell(app, kept, { amount: 4_999 });
    await sell(app, archived, { amount: 700, currency: 'jpy' });
    for (const [method, path, status] of [
      ['POST', `/api/partners/${archived.partnerId}/archive`, 200],
      ['DELETE', `/api/links/${deleted.linkId}`, 204],
      ['DELETE', `/api/partners/${deleted.partnerId}`, 204],
    ] as const) {
      expect((await app.call(method, path)).status).toBe(status);
    }
    const options = { folder: join(folder, 'export'), programVersion: '1.2.3' };
    const { csv } = await exportAccount(app.service, app.accountId, options);
    expect(csv).toEqual([
      { file: 'partners.csv', rows: 2 },
      { file: 'links.csv', rows: 2 },
      { file: 'sales.csv', rows: 2 },
      { file: 'ledger.csv', rows: 2 },
      { file: 'payouts.csv', rows: 2 },
    ]);
    await comparePeopleFiles(app, options.folder);
  });
});
