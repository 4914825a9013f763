import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addEntries } from '../../src/ledger/entries.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts } from '../helpers/earning.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createReferrer } from '../helpers/story.ts';

const NOW = Date.UTC(2026, 10, 1, 12);

describe.each(engines)('adjustments on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
  });
  afterAll(() => app.close());

  it('an adjustment is paid with its reason on record, and a deduction is netted', async () => {
    const adjust = (body: unknown) => app.call('POST', '/api/adjustments', { body });
    const { partnerId } = await createReferrer(app, { name: 'Pia' });
    const bonus = await adjust({ partnerId, amount: 700, currency: 'EUR', reason: 'Launch bonus' });
    expect([bonus.status, bonus.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^ent_/),
        partnerId,
        partnerName: 'Pia',
        saleId: null,
        payoutId: null,
        kind: 'adjustment',
        amount: 700,
        currency: 'eur',
        reason: 'Launch bonus',
        availableAt: new Date(NOW).toISOString(),
        createdAt: new Date(NOW).toISOString(),
      },
    ]);
    await adjust({ partnerId, amount: -200, currency: 'eur', reason: 'Paid twice in May' });
    expect((await runPayouts(app)).body.data).toMatchObject([
      { partnerId, currency: 'eur', amount: 500, entryCount: 2 },
    ]);
    for (const wrong of [
      { amount: 0 },
      { amount: 1.5 },
      { amount: 1_000_000_000_001 },
      { amount: -1_000_000_000_001 },
      { currency: 'zzz' },
      { reason: ' ' },
      { reason: undefined },
      { amount: '5' },
    ]) {
      const answer = await adjust({ partnerId, amount: 5, currency: 'eur', reason: 'Test', ...wrong });
      expect([answer.status, answer.body.error.code], JSON.stringify(wrong)).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect((await adjust({ partnerId: 'ptr_x', amount: 5, currency: 'eur', reason: 'Test' })).status).toBe(404);
    expect(await earningsOf(app, partnerId, 'eur')).toMatchObject({ earned: 500, payable: 500 });
  });

  it('entries that are added together count together', async () => {
    const { accountId, programId } = app;
    const { partnerId } = await createReferrer(app);
    const whose = { accountId, programId, partnerId: asId<'ptr'>(partnerId), saleId: null, isUndecided: false };
    const entries = [700, 500, -200].map(
      (amountMinor) => ({ kind: 'adjustment', amountMinor, reason: 'Test' }) as const,
    );
    await app.service.database.write((tx) =>
      addEntries(tx, { ...whose, currency: 'eur', availableAt: NOW }, entries, NOW),
    );
    expect(await earningsOf(app, partnerId, 'eur')).toMatchObject({ earned: 1_000, payable: 1_000 });
    expect(await payoutsOf(app, partnerId, 'queued')).toMatchObject([{ amount: 1_000, entryCount: 3 }]);
    await requireAgreement(app.service, accountId);
  });

  it("cannot raise a partner's earnings in a currency above 10^15, however many arrive at once", async () => {
    const { partnerId } = await createReferrer(app);
    const most = 1_000_000_000_000;
    const adjust = (amount: number, currency = 'jpy') =>
      app.call('POST', '/api/adjustments', { body: { partnerId, amount, currency, reason: 'A large one' } });
    expect((await adjust(most)).status).toBe(201);
    // as after 998 more of these
    const sql = 'UPDATE ledger_days SET earned = @earned WHERE partner_id = @partnerId AND currency = @currency';
    const earned = 1_000 * most - 3 * most;
    await app.service.database.write((tx) => tx.run(sql, { earned, partnerId, currency: 'jpy' }));
    const answers = await Promise.all(Array.from({ length: 8 }, () => adjust(most)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 400, 400, 400, 400, 400]);
    const refused = await adjust(1);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(refused.body.error.message).toContain('past 1000000000000000 JPY');
    expect((await adjust(-1)).status).toBe(201);
    expect((await adjust(1)).status).toBe(201);
    expect((await adjust(most, 'krw')).status).toBe(201);
  });

  it('cannot lower them below -10^15 either, and may correct what commissions raised too far', async () => {
    const { partnerId } = await createReferrer(app);
    const adjust = (amount: number) =>
      app.call('POST', '/api/adjustments', { body: { partnerId, amount, currency: 'usd', reason: 'A correction' } });
    expect((await adjust(-5)).status).toBe(201);
    const set = (earned: number) =>
      app.service.database.write((tx) =>
        tx.run('UPDATE ledger_days SET earned = @earned WHERE partner_id = @partnerId', { earned, partnerId }),
      );
    await set(-1_000_000_000_000_000);
    const refused = await adjust(-1);
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('-10000000000000.00 USD'),
    ]);
    await set(Number.MAX_SAFE_INTEGER);
    await app.service.database.write((tx) =>
      tx.run('UPDATE ledger_days SET earned = earned + earned WHERE partner_id = @partnerId', { partnerId }),
    );
    expect((await adjust(1)).status).toBe(400);
    expect((await adjust(-1_000_000_000_000)).status).toBe(201);
  });
});
