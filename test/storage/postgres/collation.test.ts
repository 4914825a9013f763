import { describe, expect, it } from 'vitest';
import { FIRST_ID, LAST_ID } from '../../../src/core/ids.ts';
import { createId } from '../../../src/ids.ts';
import { createTestDatabase } from '../../helpers/databases.ts';

const PREFIXES = ['clk', 'ent', 'pmt', 'prg', 'ptr', 'sal', 'ses'] as const;

/** How a database may compare text: by bytes, or by the rules of a language, which most installations use. */
describe.each(['C', 'en-x-icu', 'sv-x-icu', 'et-x-icu'])('ids compared by %s', (collation) => {
  it('lie between the first and the last one, and sort in order of creation', async () => {
    const { database, remove } = await createTestDatabase('postgres');
    try {
      for (const prefix of PREFIXES) {
        const ids = [FIRST_ID, createId(prefix), createId(prefix), 'f'.repeat(64), LAST_ID].toSorted();
        const rows = await database.read((tx) =>
          tx.all<{ id: string }>(
            `SELECT id FROM (VALUES (@a), (@b), (@c), (@d), (@e)) AS ids (id) ORDER BY CAST(id AS TEXT) COLLATE "${collation}"`,
            Object.fromEntries(ids.map((id, index) => ['abcde'[index], id])),
          ),
        );
        expect(rows.map(({ id }) => id)).toEqual(ids);
        expect([ids[0], ids.at(-1)]).toEqual([FIRST_ID, LAST_ID]);
      }
    } finally {
      await remove();
    }
  });
});
