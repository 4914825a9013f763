import { describe, expect, inject, it } from 'vitest';
import { databaseChecks } from '../../../src/cli/doctor/system-checks.ts';
import { FIRST_ID, LAST_ID } from '../../../src/core/ids.ts';
import { createId } from '../../../src/ids.ts';
import { readConfig } from '../../../src/process/config.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createTestDatabase } from '../../helpers/databases.ts';
import { databaseUrl, executeOnServer, throughSocket } from '../../helpers/postgres-server.ts';
import { TEST_SECRET_KEY } from '../../helpers/secret-key.ts';
import { createTestService } from '../../helpers/service.ts';

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

/** Danish and Norwegian sort aa after z, Welsh sorts dd after d and all that begins with it. */
describe.each(['da', 'nb', 'cy'])('a database in the order of %s', (language) => {
  it('is refused when it is empty, and is a finding of doctor when an earlier version has created it', async () => {
    const server = throughSocket(inject('postgresUrl'), inject('postgresSocket'));
    const name = `refbridge_collation_${language}_${process.pid}`;
    const url = databaseUrl(inject('postgresUrl'), name);
    await executeOnServer(
      server,
      `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${language}'`,
    );
    try {
      await expect(openDatabase(url)).rejects.toThrow(
        /^The collation of this PostgreSQL database sorts two letters as one/,
      );
      await executeOnServer(
        url,
        'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT, checksum TEXT, applied_at BIGINT)',
      );
      const database = await openDatabase(url);
      const checks = await databaseChecks(
        createTestService({ database }),
        readConfig({ DATABASE_URL: url, SECRET_KEY: TEST_SECRET_KEY.toString('hex') }),
      );
      expect(checks.filter(({ status }) => status === 'failed').map(({ check }) => check)).toContain('collation');
      await database.close();
    } finally {
      await executeOnServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});
