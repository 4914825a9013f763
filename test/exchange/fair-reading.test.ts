import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportId } from '../../src/core/ids.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { readParts } from '../../src/exchange/jobs/upload.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sendFile } from './server-import.ts';

const ROWS = 20_000;
/** They take a few milliseconds, if they are empty: of others, there are fewer in as many bytes. */
const ROWS_PER_TURN_MAX = 3_000;
const HEAD = 'id,partner,amount,currency,status,date';

describe.each(engines)('the file of an import that the server runs, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it.each([
    ['that are refused before the database is asked', 'c1,ana@example.com,1.00,USD,pondering,2026-01-05\n', ROWS],
    ['that are empty', ',,,,,\n', 0],
  ])('is read while requests are answered, also if it has many rows %s', async (_which, row, rows) => {
    const text = `${HEAD}\n${row.repeat(ROWS)}`;
    const id = (await sendFile(app.call, { kind: 'commissions', text })) as ImportId;
    let read = 0;
    let [readAtTurn, mostPerTurn, isDone] = [0, 0, false];
    const count = () => {
      mostPerTurn = Math.max(mostPerTurn, read - readAtTurn);
      readAtTurn = read;
      if (!isDone) setImmediate(count);
    };
    const perRow = Buffer.byteLength(text) / (ROWS + 1);
    const file = readParts(app.service.database, id, (bytes) => {
      read = bytes / perRow;
    });
    setImmediate(count);
    const { service, accountId } = app;
    const target = { service, accountId, programId: null };
    const options = { file, kind: 'commissions', columns: new Map(), isDryRun: false, reportPath: null } as const;
    const imported = await importCsv(target, options);
    isDone = true;
    count();
    await app.call('POST', `/api/imports/${id}/cancel`);
    expect(imported).toMatchObject({ rows, refused: rows });
    expect(mostPerTurn).toBeLessThan(ROWS_PER_TURN_MAX);
  });
});
