import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportId } from '../../src/core/ids.ts';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { readParts } from '../../src/exchange/jobs/upload.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sendFile } from './server-import.ts';

const HEAD = 'id,partner,amount,currency,status,date';
/** A page of rows is tried together before each is by itself. */
const ROWS_PER_TURN_MAX = 40;
/** So many empty rows take a few milliseconds. */
const BYTES_PER_TURN_MAX = 16 * 1024;

describe.each(engines)('the file of an import that the server runs, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** Imports a file, and returns how much of it was done at most between two turns of the event loop. */
  async function mostPerTurn(text: string) {
    const id = (await sendFile(app.call, { kind: 'commissions', text })) as ImportId;
    const done = { rows: 0, bytes: 0 };
    const before = { ...done };
    const most = { ...done };
    const look = () => {
      for (const what of ['rows', 'bytes'] as const) {
        most[what] = Math.max(most[what], done[what] - before[what]);
        before[what] = done[what];
      }
      turn = setImmediate(look);
    };
    let turn = setImmediate(look);
    const file = readParts(app.service.database, id, (bytes) => {
      done.bytes = bytes;
    });
    const { service, accountId } = app;
    const imported = await importCsv(
      { service, accountId, programId: null },
      {
        file,
        kind: 'commissions',
        columns: new Map(),
        isDryRun: false,
        reportPath: null,
        onRow: ({ rows }) => {
          done.rows = rows;
        },
      },
    );
    look();
    clearImmediate(turn);
    await app.call('POST', `/api/imports/${id}/cancel`);
    return { imported, most };
  }

  it('leaves requests a turn after each row, also after one that is refused before the database is asked', async () => {
    const rows = 2_000;
    const text = `${HEAD}\n${'c1,ana@example.com,1.00,USD,pondering,2026-01-05\n'.repeat(rows)}`;
    const { imported, most } = await mostPerTurn(text);
    expect(imported).toMatchObject({ rows, refused: rows });
    expect(most.rows).toBeLessThan(ROWS_PER_TURN_MAX);
  });

  it('leaves requests a turn after a few kilobytes without a row', async () => {
    const { imported, most } = await mostPerTurn(`${HEAD}\n${',,,,,\n'.repeat(20_000)}`);
    expect(imported).toMatchObject({ rows: 0 });
    expect(most.bytes).toBeLessThanOrEqual(BYTES_PER_TURN_MAX);
  });
});
