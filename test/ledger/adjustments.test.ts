import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, runPayouts } from '../helpers/earning.ts';
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
    const { partnerId } = await createReferrer(app);
    const bonus = await adjust({ partnerId, amount: 700, currency: 'EUR', reason: 'Launch bonus' });
    expect([bonus.status, bonus.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^ent_/),
        partnerId,
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
});
