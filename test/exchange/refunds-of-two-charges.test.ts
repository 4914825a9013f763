import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import type { Fact } from '../../src/core/facts.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { applyFacts, hints, received, refunded, refundUndone } from '../helpers/facts.ts';
import { importTextFor } from './import-for.ts';

const PAID = received(['in_1', 'pi_1', 'pi_2'], hints({ externalId: 'mia' }));
const BEFORE = Date.UTC(2026, 9, 1);
const since = () => Date.now() + 86_400_000;
const total = (chargeId: string, cumulativeAmountMinor: number): Fact => ({
  ...refunded([chargeId], { cumulativeAmountMinor, chargeId }),
  occurredAt: since(),
});
const refund = (refundId: string, chargeId: string, amountMinor: number, madeAt: number): Fact => ({
  ...refunded([chargeId], { refundId, amountMinor, chargeId }),
  occurredAt: since(),
  madeAt,
});
const failed = (refundId: string, chargeId: string, amountMinor: number, madeAt: number): Fact => ({
  ...refundUndone([chargeId], refundId, amountMinor),
  chargeId,
  occurredAt: since() + 60_000,
  madeAt,
});

/** 120.00 were paid by two charges, and 30.00 of the first one refunded before the import. */
describe.each(engines)('an invoice of two charges that was refunded before its import, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  async function importInvoice() {
    const account = await createReferredAccount(app.service);
    await applyFacts(app.service, account.accountId, PAID);
    const text =
      'Invoice,Processor,Partner,User ID,Amount,Gross amount,refundedAmount,Currency,Date,Commission,Status\n' +
      'in_1,stripe,ANA,mia,75.00,120.00,30.00,USD,2026-11-01,15.00,due\n';
    const imported = await importTextFor(app, account, { kind: 'sales', text, origin: 'Old service' });
    expect(imported).toMatchObject({ created: 1, refused: 0 });
    return account;
  }

  it.each<[string, () => Fact[], number, number]>([
    ['both charges are refunded further', () => [total('pi_1', 4_500), total('pi_2', 1_500)], 1_000, 6_000],
    [
      'the other charge is refunded',
      () => [refund('re_2', 'pi_2', 3_000, since()), total('pi_2', 3_000)],
      1_000,
      6_000,
    ],
    [
      'the earlier one is reported again',
      () => [refund('re_1', 'pi_1', 3_000, BEFORE), total('pi_1', 3_000)],
      1_500,
      3_000,
    ],
    [
      'the earlier one fails, and as much is refunded of the other',
      () => [failed('re_1', 'pi_1', 3_000, BEFORE), refund('re_2', 'pi_2', 3_000, since()), total('pi_2', 3_000)],
      1_500,
      3_000,
    ],
  ])('is lowered once if %s', async (_, reports, owed, refundedAmount) => {
    for (const inOrder of [reports(), reports().reverse()]) {
      const { accountId } = await importInvoice();
      for (const fact of [...inOrder, ...inOrder]) await applyFacts(app.service, accountId, fact);
      expect(await endStateOf(app.service, accountId)).toMatchObject({ owed, sales: [{ refundedAmount }] });
      for (const audit of AUDITS) expect(await runAudit(app.service, accountId, audit)).toMatchObject({ count: 0 });
    }
  });

  it('says what to do if the earlier refund fails', async () => {
    const { accountId } = await importInvoice();
    const report = failed('re_1', 'pi_1', 3_000, BEFORE);
    expect(await applyFacts(app.service, accountId, report)).toMatchObject({
      outcome: 'noted',
      reason: expect.stringMatching(/^changes nothing: the sale was imported without .*, add an adjustment$/),
    });
    expect(await applyFacts(app.service, accountId, report)).toMatchObject({ outcome: 'duplicate' });
  });

  it('does not say so of a later refund whose charge’s total was reported first', async () => {
    const { accountId } = await importInvoice();
    expect(await applyFacts(app.service, accountId, total('pi_1', 4_500))).toMatchObject({ outcome: 'reversal' });
    const report = refund('re_2', 'pi_1', 1_500, since());
    expect(await applyFacts(app.service, accountId, report)).toMatchObject({ outcome: 'duplicate' });
    const failure = failed('re_2', 'pi_1', 1_500, since());
    expect(await applyFacts(app.service, accountId, failure)).toMatchObject({ outcome: 'reversal' });
    expect(await endStateOf(app.service, accountId)).toMatchObject({ owed: 1_500, sales: [{ refundedAmount: 3_000 }] });
  });
});
