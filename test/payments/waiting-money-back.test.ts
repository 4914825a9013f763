import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, disputed, hints, received, refunded } from '../helpers/facts.ts';

const WAITING_DISPUTE = { outcome: 'noted', reason: 'a dispute that waits for its payment', saleId: null };
const WAITING_REFUND = { outcome: 'noted', reason: 'a refund that waits for its payment', saleId: null };

describe.each(engines)('what a delivery about money that goes back shows, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    account = await createReferredAccount(app.service);
    await lead?.(app, account);
  });

  const tell = (fact: Fact) => applyFacts(app.service, account.accountId, fact);

  it('is that a dispute waits for its payment, once', async () => {
    const dispute = disputed(['ch_1'], 'du_1', 1_000, 'open');
    expect(await tell(dispute)).toEqual(WAITING_DISPUTE);
    expect(await tell(dispute)).toEqual({ outcome: 'duplicate', reason: 'already known', saleId: null });
  });

  it('is the sale of a dispute that takes nothing from it', async () => {
    const { saleId } = await tell(received(['ch_1'], hints(MIA)));
    expect(saleId).toMatch(/^sal_/);
    const won = disputed(['ch_1'], 'du_1', 1_000, 'won');
    expect(await tell(won)).toEqual({ outcome: 'duplicate', reason: 'already known', saleId });
  });

  it('is that a total of refunds waits for its payment, unless it is 0', async () => {
    expect(await tell(refunded(['ch_1'], { cumulativeAmountMinor: 1_000 }))).toEqual(WAITING_REFUND);
    expect(await tell(refunded(['ch_2'], { cumulativeAmountMinor: 0 }))).toEqual({ ...WAITING_REFUND, reason: null });
  });
});
