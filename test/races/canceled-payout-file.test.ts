import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { recordFileResults } from '../../src/payouts/file-results.ts';
import { downloadPayoutFile } from '../../src/payouts/files.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { beforeUnits } from '../helpers/before-units.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';
import { whileHeld } from '../helpers/while-held.ts';

interface InFile {
  payoutId: string;
  fileId: string;
}

describe.each(engines)('a payout file that is canceled at the same moment, on %s', (engine) => {
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

  /** The bank's report. */
  const reportPaid = (service: Service, { payoutId, fileId }: InFile) =>
    recordFileResults(service, app.accountId, {
      fileId,
      results: [{ id: payoutId, status: 'paid', reason: null }],
      actor: { kind: 'command_line' },
    });

  const reportBeside = (held: RegExp, file: InFile, others: () => Promise<number[]>) =>
    whileHeld(app.service, held, (service) => reportPaid(service, file), others);

  it('has no result that is recorded once another file has the payout', async () => {
    const file = await putInFile();
    let nextId = '';
    const service = beforeUnits(app.service, async () => {
      await cancel(file.fileId);
      nextId = (await make(file.payoutId)).body.id;
    });
    const report = await reportPaid(service, file);
    const problems = [{ id: file.payoutId, message: `is in the file ${nextId} since ${file.fileId} was canceled` }];
    expect(report).toEqual({ paid: 0, failed: 0, unchanged: 0, problems });
    expect(await statusOf(file.payoutId)).toBe('processing');
  });

  // SQLite runs one unit after the other
  const concurrent = engine === 'sqlite' ? [] : [engine];
  it.each(concurrent)('has a result that is recorded before, and no other file gets the payout', async () => {
    const file = await putInFile();
    const [report, statuses] = await reportBeside(/FROM payout_file_rows r[\s\S]*FOR SHARE/, file, async () => {
      const canceled = await cancel(file.fileId);
      return [canceled.status, (await make(file.payoutId)).status];
    });
    expect([report.paid, statuses]).toEqual([1, [200, 409]]);
    expect(await statusOf(file.payoutId)).toBe('paid');
  });

  it.each(concurrent)(
    'has a result that is recorded afterwards, and no other file gets the payout meanwhile',
    async () => {
      const file = await putInFile();
      await cancel(file.fileId);
      const [report, statuses] = await reportBeside(/FROM payout_file_rows r WHERE r.payout_id/, file, async () => [
        (await make(file.payoutId)).status,
      ]);
      expect([report.paid, statuses]).toEqual([1, [409]]);
      expect(await statusOf(file.payoutId)).toBe('paid');
    },
  );

  it('is not downloaded any more', async () => {
    const { fileId } = await putInFile();
    const download = downloadPayoutFile(
      beforeUnits(app.service, () => cancel(fileId)),
      app.accountId,
      fileId,
    );
    await expect(download).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});
