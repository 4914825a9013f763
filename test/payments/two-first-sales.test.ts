import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { setIdClock } from '../../src/ids.ts';
import { reportSale } from '../../src/payments/report-sale.ts';
import { customerSaleInput } from '../../src/payments/resources/sale-schemas.ts';
import { archivePartner } from '../../src/programs/archive.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import {
  type Arrivals,
  afterRefundOf,
  facts,
  invoicePayment,
  lead,
  leadWith,
  MIA,
  sessionByIntent,
} from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { hints, received, referenced } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';

const second = facts(received(['in_1'], hints(MIA)));
const madeBefore = facts(received(['in_0'], hints(MIA), { occurredAt: Date.UTC(2026, 9, 1) }));
const soldByBackend: Arrivals[string] = ({ service }, { accountId }) => {
  const body = { customerExternalId: 'mia', amount: 10_000, currency: 'usd', invoiceId: 'cs_1' };
  return reportSale(service, accountId, parseInput(customerSaleInput, body));
};

/** From now on, ids are created as by a process whose clock is ahead. */
function withIdsAhead(seconds: number): void {
  setIdClock(() => Date.now() + seconds * 1_000);
  onTestFinished(() => setIdClock(systemClock));
}

describe.each(engines)('a payment that was counted twice, of which only one sale earned, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  it.each<[string, number, Arrivals[string], Arrivals[string][]]>([
    ['the second has the higher id', 1, sessionByIntent, []],
    ['the second has the lower id', -1, sessionByIntent, []],
    ['the second has the lower id, and the first moved', -1, soldByBackend, [sessionByIntent]],
  ])('earns once, when %s', async (_when, secondsAhead, first, later) => {
    const account = await createReferredAccount(app.service, { durationMonths: 0 });
    await lead(app, account);
    await first(app, account);
    withIdsAhead(secondsAhead);
    for (const arrival of [second, ...later, invoicePayment]) await arrival(app, account);
    expect(await endStateOf(app.service, account.accountId)).toEqual(afterRefundOf(0));
    await requireAgreement(app.service, account.accountId);
  });

  it('earns once, when a sale that was made before both was recorded between them', async () => {
    const account = await createReferredAccount(app.service, { durationMonths: 0 });
    for (const arrival of [lead, sessionByIntent, madeBefore]) await arrival(app, account);
    withIdsAhead(-1);
    for (const arrival of [second, invoicePayment]) await arrival(app, account);
    const { sales, owed } = await endStateOf(app.service, account.accountId);
    expect(sales.map(({ commissionAmount }) => commissionAmount).toSorted()).toEqual([0, 2_000]);
    expect(owed).toBe(2_000);
    await requireAgreement(app.service, account.accountId);
  });

  it.each(['before', 'after'])(
    'earns once, when the report from before the archiving comes %s the other',
    async (order) => {
      const account = await createReferredAccount(app.service);
      const hour = 3_600_000;
      const late = facts(received(['in_1'], hints(MIA), { occurredAt: Date.now() + hour }));
      await lead(app, account);
      await archivePartner(app.service, account.accountId, account.partnerId, true);
      const arrivals = order === 'before' ? [sessionByIntent, late] : [late, sessionByIntent];
      for (const arrival of [...arrivals, invoicePayment]) await arrival(app, account);
      expect(await endStateOf(app.service, account.accountId)).toMatchObject({
        owed: 2_000,
        sales: [{ commissionAmount: 2_000 }],
      });
      await requireAgreement(app.service, account.accountId);
    },
  );

  it.each([
    ['one after the other', ['in_1', 'cs_1'], ['in_1', 'pi_1']],
    ['in another order', ['in_1', 'pi_1'], ['in_1', 'cs_1']],
    ['those that earned first', ['cs_1', 'pi_1'], ['in_1', 'pi_1']],
    ['at once', ['in_1', 'cs_1', 'pi_1']],
  ])(
    'is the same sale of three that belong to two customers, when they turn out to be one %s',
    async (_how, ...joins) => {
      const account = await createReferredAccount(app.service, { durationMonths: 0 });
      for (const arrival of [lead, leadWith({ customerExternalId: 'zoe' })]) await arrival(app, account);
      const counted: [string, string, number][] = [
        ['pi_1', 'mia', 3],
        ['in_1', 'mia', 1],
        ['cs_1', 'zoe', 2],
      ];
      for (const [reference, externalId, secondsAhead] of counted) {
        withIdsAhead(secondsAhead);
        await facts(received([reference], hints({ externalId })))(app, account);
      }
      for (const references of joins) await facts(referenced(...references))(app, account);
      const { sales, owed } = await endStateOf(app.service, account.accountId);
      expect(sales).toMatchObject([{ customer: 'zoe', commissionAmount: 2_000 }]);
      expect(owed).toBe(2_000);
      await requireAgreement(app.service, account.accountId);
    },
  );

  const asGuest = { processorCustomerId: 'cus_1' };
  it.each([
    ['the guest’s', MIA],
    ['the guest’s', asGuest],
    ['the customer’s', MIA],
    ['the customer’s', asGuest],
  ])(
    'is the first of a guest and of the customer who that is, when %s was counted first and %o pays again',
    async (first, payer) => {
      const account = await createReferredAccount(app.service, { durationMonths: 0 }, { discountCodes: ['MIA10'] });
      const byGuest = facts(received(['pi_1'], hints(asGuest), { discountCodes: ['MIA10'] }));
      const counted = first === 'the guest’s' ? [byGuest, soldByBackend] : [soldByBackend, byGuest];
      const joined = facts(referenced('cs_1', 'pi_1'));
      for (const arrival of [lead, ...counted, joined, facts(received(['in_2'], hints(payer)))]) {
        await arrival(app, account);
      }
      const { sales, owed } = await endStateOf(app.service, account.accountId);
      expect(sales.map(({ commissionAmount }) => commissionAmount).toSorted()).toEqual([0, 2_000]);
      expect(owed).toBe(2_000);
      await requireAgreement(app.service, account.accountId);
    },
  );

  it.each(['before', 'after'])(
    'is the same sale of two customers, when the one that earned nothing because of its time moves %s they turn out to be one',
    async (when) => {
      const account = await createReferredAccount(app.service);
      for (const arrival of [lead, leadWith({ customerExternalId: 'zoe' })]) await arrival(app, account);
      await archivePartner(app.service, account.accountId, account.partnerId, true);
      await soldByBackend(app, account);
      const occurredAt = Date.UTC(2026, 9, 1);
      await facts(received(['pi_1'], hints({ externalId: 'zoe' }), { occurredAt }))(app, account);
      const money = { amountMinor: 12_000, currency: 'usd', occurredAt };
      const captured = facts({ kind: 'payment.captured', references: ['cs_1'], ...money });
      const joined = facts(referenced('cs_1', 'pi_1'));
      for (const arrival of when === 'before' ? [captured, joined] : [joined, captured]) await arrival(app, account);
      const { sales, owed } = await endStateOf(app.service, account.accountId);
      expect(sales).toMatchObject([{ customer: 'zoe', commissionAmount: 2_000 }]);
      expect(owed).toBe(2_000);
      await requireAgreement(app.service, account.accountId);
    },
  );
});
