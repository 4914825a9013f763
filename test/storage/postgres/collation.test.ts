import { describe, expect, inject, it } from 'vitest';
import { databaseChecks } from '../../../src/cli/doctor/system-checks.ts';
import { FIRST_ID, LAST_ID } from '../../../src/core/ids.ts';
import { createId } from '../../../src/ids.ts';
import { listCustomers } from '../../../src/payments/lists/list-customers.ts';
import { customerListQuery } from '../../../src/payments/resources/customer-schemas.ts';
import { readConfig } from '../../../src/process/config.ts';
import { parseInput } from '../../../src/schema/parse.ts';
import { openDatabase } from '../../../src/storage/open.ts';
import { createReferredAccount } from '../../helpers/account.ts';
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

describe('a database in the order of English', () => {
  it('finds customers behind many others whose texts differ in case or accents only', async () => {
    await withDatabase('en-US', async (url) => {
      const database = await openDatabase(url);
      const service = createTestService({ database });
      const { accountId, programId, partnerId } = await createReferredAccount(service);
      const insert = (id: string, externalId: string, email: string) =>
        `('cus_${id}', '${accountId}', '${externalId}', '${email}', '${email}', '${partnerId}', '${programId}', 1)`;
      const numbers = Array.from({ length: 120 }, (_, number) => 1_000 + number);
      await executeOnServer(
        url,
        `INSERT INTO customers (id, account_id, external_id, email, email_lower, partner_id, program_id, created_at) VALUES
         ${numbers.map((number) => insert(`${number}`, `user_${number}`, `rene.${number}@example.com`)).join()},
         ${numbers.map((number) => insert(`s${number}`, `strass_${number}`, `luk.${number}@example.com`)).join()},
         ${insert('sharp', 'straß_2', 'łuk.2@example.com')},
         ${insert('id', 'USER_2', 'ana@example.com')}, ${insert('address', 'shop_1', 'rené.2@example.com')},
         ${insert('after', 'USES_1', 'renés@example.com')}`,
      );
      const found = async (search: string) => {
        const { data } = await listCustomers(service, accountId, parseInput(customerListQuery, { search }));
        return data.map(({ externalId }) => externalId);
      };
      const searches = ['USER_', 'USER_2', 'rené.', 'René', 'user_1119', 'straß_', 'łuk.', 'Łuk'];
      const sharp = ['straß_2'];
      const expected = [['USER_2'], ['USER_2'], ['shop_1'], ['USES_1', 'shop_1'], ['user_1119'], sharp, sharp, sharp];
      expect(await Promise.all(searches.map(found))).toEqual(expected);
      expect(await found('user_')).toHaveLength(20);
      await database.close();
    });
  });
});

/** Danish and Norwegian sort aa after z, Welsh sorts dd after d and all that begins with it. */
describe.each(['da', 'nb', 'cy'])('a database in the order of %s', (language) => {
  it('is refused when it is empty, and is a finding of doctor when an earlier version has created it', async () => {
    await withDatabase(language, async (url) => {
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
    });
  });
});

/** Runs `work` on an empty database that sorts text as a language does. */
async function withDatabase(language: string, work: (url: string) => Promise<void>): Promise<void> {
  const server = throughSocket(inject('postgresUrl'), inject('postgresSocket'));
  const name = `refbridge_collation_${language.toLowerCase().replace('-', '_')}_${process.pid}`;
  await executeOnServer(
    server,
    `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '${language}'`,
  );
  try {
    await work(databaseUrl(inject('postgresUrl'), name));
  } finally {
    await executeOnServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}
