import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { recordFileResults } from '../../src/payouts/file-results.ts';
import type { Database } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { holding } from '../helpers/holding.ts';
import { createReferrer } from '../helpers/story.ts';

/** Long enough for a request that waits for nobody to end. */
const HELD_MS = 500;

interface InFile {
  payoutId: string;
  fileId: string;
}

describe.each(engines)('the result of a payout whose file is canceled at the same moment, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays: 0 } });
  });
  afterAll(() => app.close());

  const make = (payoutId: string) =>
    app.call('POST', '/api/payouts/files', { body: { rail: 'paypal', payoutIds: [payoutId] } });
  const cancel = (fileId: string) => app.call('POST', `/api/payouts/files/${fileId}/cancel`);
  const statusOf = async (id: string) => (await app.call('GET', `/api/payouts/${id}`)).body.status;

  const putInFile = async (): Promise<InFile> => {
    const referrer = await createReferrer(app);
    const { partnerId } = referrer;
    const details = { rail: 'paypal', email: 'ana@example.com' };
    await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body: details });
    await sell(app, referrer);
    await runPayouts(app);
    const [{ id: payoutId }] = await payoutsOf(app, partnerId, 'processing');
    const file = await make(payoutId);
    expect(file.status, file.text).toBe(201);
    return { payoutId, fileId: file.body.id };
  };

  /** The bank's report, in units of work of this database. */
  const reportPaid = (database: Database, { payoutId, fileId }: InFile) =>
    recordFileResults(createService({ ...app.service, database }), app.accountId, {
      fileId,
      results: [{ id: payoutId, status: 'paid', reason: null }],
      actor: { kind: 'command_line' },
    });

  /** Holds the report after a statement while others go on. */
  const reportBeside = async (held: RegExp, file: InFile, others: () => Promise<number[]>) => {
    const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = { held, when: 'after', reached: reached.resolve, release: release.promise } as const;
    const reporting = reportPaid(holding(app.service.database, hold), file);
    await Promise.race([reached.promise, reporting]);
    const going = others();
    await Promise.race([going, pause(HELD_MS)]);
    release.resolve();
    return { report: await reporting, statuses: await going };
  };

  it('is not recorded once another file has the payout', async () => {
    const file = await putInFile();
    const { database } = app.service;
    let nextId = '';
    const write: Database['write'] = async (unit, options) => {
      await cancel(file.fileId);
      nextId = (await make(file.payoutId)).body.id;
      return database.write(unit, options);
    };
    const report = await reportPaid({ ...database, write }, file);
    const problems = [{ id: file.payoutId, message: `is in the file ${nextId} since ${file.fileId} was canceled` }];
    expect(report).toEqual({ paid: 0, failed: 0, unchanged: 0, problems });
    expect(await statusOf(file.payoutId)).toBe('processing');
  });

  // SQLite runs one unit after the other
  const concurrent = engine === 'sqlite' ? [] : ['of the canceled file'];
  it.each(concurrent)('is recorded %s, and no file can have the payout any more', async () => {
    const file = await putInFile();
    const { report, statuses } = await reportBeside(/UPDATE payout_file_rows SET live = live/, file, async () => {
      const canceled = await cancel(file.fileId);
      return [canceled.status, (await make(file.payoutId)).status];
    });
    expect([report.paid, statuses]).toEqual([1, [200, 409]]);
    expect(await statusOf(file.payoutId)).toBe('paid');
  });

  it.each(concurrent)('is recorded %s after that, and no file gets the payout meanwhile', async () => {
    const file = await putInFile();
    await cancel(file.fileId);
    const { report, statuses } = await reportBeside(/FROM payout_file_rows r WHERE r.payout_id/, file, async () => [
      (await make(file.payoutId)).status,
    ]);
    expect([report.paid, statuses]).toEqual([1, [409]]);
    expect(await statusOf(file.payoutId)).toBe('paid');
  });
});
