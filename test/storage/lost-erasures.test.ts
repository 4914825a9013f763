import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/open.ts';
import { createEmptyDatabase, engines } from '../helpers/databases.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';

/** Where the scans of an account with erasures are, in an earlier version: bodies at the end, events under way. */
const CURSORS = [
  { job: 'erase bodies', accountId: 'acc_erased', lastId: 'dlv_9' },
  { job: 'erase persons in events', accountId: 'acc_erased', lastId: 'evt_5' },
  { job: 'delete old bodies', accountId: 'acc_erased', lastId: 'dlv_5' },
  { job: 'delete old bodies', accountId: 'acc_other', lastId: 'dlv_5' },
];

describe.each(engines)('erasures that earlier versions may have lost, on %s', (engine) => {
  it('are searched for once more, in accounts that have erased anything', async () => {
    const empty = await createEmptyDatabase(engine);
    const earlier = await migrationsBefore('0036');
    const before = await openDatabase(empty.url, { migrationsFolder: earlier.folder });
    await before.write(async (tx) => {
      for (const id of ['acc_erased', 'acc_other']) {
        await tx.run("INSERT INTO accounts (id, name, created_at) VALUES (@id, 'Example Ltd', 0)", { id });
      }
      for (const mark of ['mark 1', 'mark 2']) {
        await tx.run("INSERT INTO erasure_marks (account_id, mark, created_at) VALUES ('acc_erased', @mark, 0)", {
          mark,
        });
      }
      for (const cursor of CURSORS) {
        await tx.run('INSERT INTO job_cursors (job, account_id, last_id) VALUES (@job, @accountId, @lastId)', cursor);
      }
    });
    await before.close();

    const after = await openDatabase(empty.url);
    const rows = await after.read((tx) =>
      tx.all<{ job: string; accountId: string; lastId: string; isRestarted: number }>(
        `SELECT job, account_id AS "accountId", last_id AS "lastId",
           CASE WHEN restart_id = '' THEN 0 ELSE 1 END AS "isRestarted" FROM job_cursors`,
        {},
      ),
    );
    const start = JSON.stringify({ processor: '', kind: '', value: '' });
    const erased = { accountId: 'acc_erased', isRestarted: 1 };
    expect(rows).toHaveLength(5);
    expect(rows).toEqual(
      expect.arrayContaining([
        { job: 'erase bodies', ...erased, lastId: 'dlv_' },
        { job: 'erase persons in events', ...erased, lastId: '' },
        { job: 'erase identities', ...erased, lastId: start },
        { job: 'delete old bodies', accountId: 'acc_erased', lastId: 'dlv_5', isRestarted: 0 },
        { job: 'delete old bodies', accountId: 'acc_other', lastId: 'dlv_5', isRestarted: 0 },
      ]),
    );
    await after.close();
    await empty.remove();
    await earlier.remove();
  });
});
