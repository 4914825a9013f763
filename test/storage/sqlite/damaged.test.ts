import { expect, it } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { createTestDatabase } from '../../helpers/databases.ts';
import { overwriteFirstPage } from '../../helpers/overwrite-first-page.ts';

it('a damaged page is answered with advice to restore a backup, not to retry soon', async () => {
  const test = await createTestDatabase('sqlite');
  const path = sqlitePathOf(test.url) ?? '';
  await test.database.write((tx) => tx.run('CREATE TABLE things (key TEXT)'));
  await test.database.close();
  overwriteFirstPage(path, 'things');

  const damaged = await openDatabase(test.url);
  const expected = {
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/^The database is damaged\. .* restore a backup$/),
    retryAfterSeconds: 300,
  };
  await expect(damaged.read((tx) => tx.all('SELECT * FROM things'))).rejects.toMatchObject(expected);
  await expect(damaged.write((tx) => tx.run("INSERT INTO things VALUES ('a')"))).rejects.toMatchObject(expected);
  await damaged.close();
  await test.remove();
});
