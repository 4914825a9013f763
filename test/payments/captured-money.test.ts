import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentCaptured } from '../../src/core/facts.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, received, referenced } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { saleOf } from './only-sale.ts';

const PAID_AT = Date.UTC(2026, 10, 1);

describe.each(engines)('money that is captured for a sale, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => PAID_AT + 86_400_000 } });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    account = await createReferredAccount(app.service);
    await lead?.(app, account);
  });

  const capture = (amountMinor: number, changes: Partial<PaymentCaptured> = {}) =>
    applyFacts(app.service, account.accountId, {
      kind: 'payment.captured',
      references: ['pi_1'],
      amountMinor,
      currency: 'usd',
      occurredAt: PAID_AT,
      ...changes,
    });
  const track = () => {
    const { clickId, apiKey: key } = account;
    const body = { clickId, customerExternalId: 'mia', amount: 5_000, invoiceId: 'pi_1' };
    return app.call('POST', '/api/track/sale', { key, body });
  };

  it('is what the refunds of a sale of the API are measured against', async () => {
    expect((await track()).status).toBe(200);
    await capture(4_000);
    expect(await saleOf(app, account)).toMatchObject({ amount: 5_000, grossAmount: 4_000 });
    await requireAgreement(app.service, account.accountId);
  });

  it('before it is known which sale it paid is that, too', async () => {
    expect((await track()).status).toBe(200);
    await capture(4_000, { references: ['pi_2'] });
    await applyFacts(app.service, account.accountId, referenced('pi_1', 'pi_2'));
    expect(await saleOf(app, account)).toMatchObject({ amount: 5_000, grossAmount: 4_000 });
  });

  it('in another currency says nothing about it', async () => {
    expect((await track()).status).toBe(200);
    await capture(4_000, { currency: 'eur' });
    expect(await saleOf(app, account)).toMatchObject({ grossAmount: 5_000, currency: 'usd' });
  });

  it('does not replace the total that a processor reported', async () => {
    expect((await track()).status).toBe(200);
    await applyFacts(app.service, account.accountId, received(['pi_1'], hints({ externalId: 'mia' })));
    await capture(4_000);
    expect(await saleOf(app, account)).toMatchObject({ amount: 5_000, grossAmount: 12_000 });
  });

  it('changes neither the total nor the time of a sale that a processor reported', async () => {
    const untaxed = { grossMinor: 5_000, netMinor: 5_000, taxMinor: 0 };
    await applyFacts(app.service, account.accountId, received(['pi_1'], hints({ externalId: 'mia' }), untaxed));
    const before = await saleOf(app, account);
    await capture(4_000, { occurredAt: PAID_AT - 60_000 });
    expect(await saleOf(app, account)).toEqual(before);
  });
});
