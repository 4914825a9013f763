import { describe, expect, it } from 'vitest';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { COLUMNS } from './columns.ts';
import { tablesOf } from './tables-of.ts';

describe.each(engines)('columns with personal data, on %s', (engine) => {
  it('are known: every column of every table is listed as personal or not', async () => {
    const { database, remove } = await createTestDatabase(engine);
    try {
      const listed = Object.entries(COLUMNS).map(([table, { personal = '', kept = '' }]) => {
        return [table, `${personal} ${kept}`.trim().split(/\s+/).sort()];
      });
      expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(await tablesOf(database)));
    } finally {
      await remove();
    }
  });
});
