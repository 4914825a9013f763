import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shortIdOf } from '../../src/core/short-id.ts';
import { createId } from '../../src/ids.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';

describe.each(engines)('files for Wise, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  async function newPayout(): Promise<string> {
    const referrer = await createReferrer(app);
    const { partnerId } = referrer;
    const body = { rail: 'wise', name: 'Ana Alvarez', email: 'ana@example.com', receiverType: 'PRIVATE' };
    await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    await sell(app, referrer);
    await runPayouts(app, { at: '2099-12-31' });
    return (await payoutsOf(app, partnerId, 'processing'))[0].id;
  }

  it('have references of 10 characters in USD, by which results of the file name its payouts', async () => {
    const ids = [await newPayout(), await newPayout()];
    const { body: file } = await app.call('POST', '/api/payouts/files', { body: { rail: 'wise' } });
    const [one, two] = ids.map((id) => shortIdOf(id).slice(-10)) as [string, string];
    expect((await app.call('GET', `/api/payouts/files/${file.id}`)).text).toContain(`,${two},`);
    const results = [
      { id: one.toLowerCase(), status: 'paid' },
      { id: shortIdOf(ids[0] ?? ''), status: 'paid' },
      { id: two, status: 'failed', reason: 'closed' },
      { id: 'ABCDEFGHIJ', status: 'paid' },
    ];
    const { body } = await app.call('POST', `/api/payouts/files/${file.id}/results`, { body: { results } });
    const problems = [{ id: 'ABCDEFGHIJ', message: `is not in the file ${file.id}` }];
    expect(body).toEqual({ paid: 1, failed: 1, unchanged: 1, problems });
    const ended = ids.map(async (id) => (await app.call('GET', `/api/payouts/${id}`)).body.status);
    expect(await Promise.all(ended)).toEqual(['paid', 'failed']);
  });

  it('list each payout that was asked for and has no place', async () => {
    const id = await newPayout();
    const others = Array.from({ length: 1_600 }, () => createId('pay'));
    await app.service.database.write(async (tx) => {
      for (const other of others) {
        await tx.run(
          `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at)
           SELECT @other, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at
           FROM payouts WHERE id = @id`,
          { other, id },
        );
      }
    });
    const { body } = await app.call('POST', '/api/payouts/files', {
      body: { rail: 'wise', payoutIds: [id, ...others] },
    });
    expect(body).toMatchObject({ payoutCount: 1_000, leftOutCount: 601, isFull: true });
  });
});
