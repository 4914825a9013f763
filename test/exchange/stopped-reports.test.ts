import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

describe.each(engines)('the report of an import that ends early, on %s', (engine) => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await createTestApp(engine);
    folder = await mkdtemp(join(tmpdir(), 'refbridge-report-'));
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the rows that were stored', async () => {
    const reportPath = join(folder, 'report.csv');
    async function* file() {
      yield Buffer.from('email,name\nana@example.com,Ana\nbob@example.com,"Bob\n');
    }
    const { service, accountId } = app;
    const options = { file: file(), kind: 'partners', columns: new Map(), isDryRun: false, reportPath } as const;
    const imported = importCsv({ service, accountId, programId: null }, options);
    await expect(imported).rejects.toThrow('The file ends inside the quotes');
    expect(await readFile(reportPath, 'utf8')).toBe('line,result,key,reason\r\n2,created,ana@example.com,\r\n');
  });
});
