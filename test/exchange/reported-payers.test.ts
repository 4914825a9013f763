import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomerHints } from '../../src/core/facts.ts';
import type { PaymentProcessor } from '../../src/core/processor.ts';
import { importSale } from '../../src/payments/imports/import-sale.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { asId } from '../helpers/ids.ts';

type Imported = [processor: PaymentProcessor, processorCustomerId: string];

describe.each(engines)('an imported sale whose payment the processor has reported, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  function importOf({ accountId, partnerId }: ReferredAccount, [processor, processorCustomerId]: Imported) {
    const amounts = { amountMinor: 10_000, grossMinor: 12_000, currency: 'usd', occurredAt: Date.UTC(2026, 10, 1) };
    const commission = { amountMinor: 2_000, reason: 'Test' };
    const sale = {
      ...{ ...amounts, processor, invoiceId: 'in_1', references: [], eventName: 'Purchase', origin: 'Test' },
      partnerId: asId<'ptr'>(partnerId),
      customer: { externalId: 'mia', email: null, name: null, processorCustomerId },
      earned: { commission, availableAt: Date.UTC(2026, 11, 1), refundedMinor: 0 },
    };
    const scope = { accountId, now: app.service.clock() };
    return app.service.database.write((tx) => importSale(tx, scope, sale));
  }

  const [named, bySubscription, byBoth]: Partial<CustomerHints>[] = [
    { processorCustomerId: 'cus_mia', subscriptionId: 'sub_1' },
    { subscriptionId: 'sub_1' },
    { processorCustomerId: 'cus_new', subscriptionId: 'sub_1' },
  ];
  const cases: [string, Imported, Partial<CustomerHints>][] = [
    ['the customer of the import', ['stripe', 'cus_mia'], named ?? {}],
    ['a subscription only', ['stripe', 'cus_mia'], bySubscription ?? {}],
    ['another customer than the import', ['stripe', 'cus_mia'], byBoth ?? {}],
    ['a customer, while the import names no processor', ['custom', 'cus_mia'], byBoth ?? {}],
  ];

  it.each(cases.flatMap((each) => (['before', 'after'] as const).map((when) => [...each, when] as const)))(
    'tells whose its payers are: %s (import %o, report %o, %s the import)',
    async (_what, imported, payer, when) => {
      const account = await createReferredAccount(app.service);
      const report = (id: string, who: Partial<CustomerHints>) =>
        applyFacts(app.service, account.accountId, received([id], hints(who)));
      if (when === 'before') await report('in_1', payer);
      await report('in_2', payer);
      await importOf(account, imported);
      if (when === 'after') await report('in_1', payer);
      expect(await report('in_2', payer)).toMatchObject({
        outcome: 'duplicate',
        saleId: expect.stringMatching(/^sal_/),
      });
      for (const [number, who] of [payer, { subscriptionId: 'sub_1' }].entries()) {
        expect(await report(`in_3_${number}`, who)).toMatchObject({ outcome: 'sale' });
      }
    },
  );
});
