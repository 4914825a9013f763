import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { reportRefundOfInvoice } from '../../src/payments/report-refund.ts';
import { invoiceRefundInput } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type Arrivals, facts, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { hints, received } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { importTextFor } from './import-for.ts';

const PAID = facts(received(['in_1'], hints(MIA)));

/** 120.00, of which 30.00 had been refunded, which left 15.00 of the commission. */
const imported: Arrivals[string] = async (app, account) => {
  const text =
    'Invoice,Partner,User ID,Amount,Gross amount,refundedAmount,Currency,Date,Commission,Status\n' +
    'in_1,ANA,mia,75.00,120.00,30.00,USD,2026-11-01,15.00,due\n';
  expect(await importTextFor(app, account, { kind: 'sales', text, origin: 'Old service' })).toMatchObject({
    created: 1,
    refused: 0,
  });
};

const refundedByBackend: Arrivals[string] = ({ service }, { accountId }) => {
  const refund = { invoiceId: 'in_1', refundId: 'r_1', amount: 3_000 };
  return reportRefundOfInvoice(service, accountId, parseInput(invoiceRefundInput, refund));
};

describe.each(engines)('a refund that the backend reports about when its sale is imported, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  /** In a process whose clock is ahead or behind. */
  const inProcess = (arrive: Arrivals[string], aheadMs: number) => (account: ReferredAccount) => {
    const service: Service = { ...app.service, clock: () => app.service.clock() + aheadMs };
    return arrive({ ...app, service }, account);
  };

  it.each([-30_000, 0, 30_000])(
    'is one that was made since, when it comes after the import, from a process whose clock is ahead by %d ms',
    async (aheadMs) => {
      const account = await createReferredAccount(app.service);
      await imported(app, account);
      await inProcess(refundedByBackend, aheadMs)(account);
      expect(await endStateOf(app.service, account.accountId)).toMatchObject({
        owed: 1_000,
        sales: [{ refundedAmount: 6_000 }],
      });
      await requireAgreement(app.service, account.accountId);
    },
  );

  it.each([-30_000, 0, 30_000])(
    'is one that the import has deducted, when it waited for the import, from a process whose clock is ahead by %d ms',
    async (aheadMs) => {
      const account = await createReferredAccount(app.service);
      await PAID(app, account);
      await inProcess(refundedByBackend, aheadMs)(account);
      await imported(app, account);
      expect(await endStateOf(app.service, account.accountId)).toMatchObject({
        owed: 1_500,
        sales: [{ refundedAmount: 3_000 }],
      });
      await requireAgreement(app.service, account.accountId);
    },
  );
});
