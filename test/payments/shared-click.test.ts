import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attributeByHand, listParkedPayments } from '../../src/payments/parked-payments.ts';
import { attributeInput, parkedListQuery } from '../../src/payments/resources/parked-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type Arrivals, afterRefundOf, describeStories, facts, lead, leadWith, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { applyFacts, hints, identified, received } from '../helpers/facts.ts';

const BO_AT_STRIPE = { processorCustomerId: 'cus_bo', subscriptionId: 'sub_bo' };

/** Bo signed up in Mia's browser: Stripe knows Bo's id and the click that brought Mia. */
const identity: Arrivals[string] = (app, { accountId, clickId }) =>
  applyFacts(app.service, accountId, identified(hints({ ...BO_AT_STRIPE, externalId: 'bo', clickId })));
const paymentOfMia = facts(received(['in_mia'], hints(MIA)));
/** 240.00, of which 200.00 is net; names only Stripe's ids. */
const paymentOfBo = facts(received(['in_bo'], hints(BO_AT_STRIPE), { grossMinor: 24_000, netMinor: 20_000 }));
const leadOfBo = leadWith({ customerExternalId: 'bo' });

const OF_BO = { customer: 'bo', amount: 20_000, grossAmount: 24_000, commissionAmount: 4_000 };
const ends = {
  ...afterRefundOf(0),
  sales: afterRefundOf(0).sales.flatMap((sale) => [sale, { ...sale, ...OF_BO }]),
  owed: 6_000,
};
/** Only the first sale of each customer earns. */
const program = { durationMonths: 0 };

describeStories({
  'two customers of one click, of whom Stripe alone knows the second': {
    program,
    arrivals: { lead, identity, 'payment of Mia': paymentOfMia, 'payment of Bo': paymentOfBo },
    ends,
  },
  'two customers of one click, whose second has a lead, too': {
    program,
    arrivals: { lead, 'lead of Bo': leadOfBo, identity, 'payment of Mia': paymentOfMia, 'payment of Bo': paymentOfBo },
    ends,
  },
});

describe.each(engines)('a payment by an id that Stripe has named somebody for, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  it.each(['clickId', 'partnerId'] as const)('is theirs when a person gives its %s', async (given) => {
    const { service } = app;
    const account = await createReferredAccount(service);
    const { accountId } = account;
    await lead(app, account);
    await applyFacts(service, accountId, identified(hints({ ...BO_AT_STRIPE, externalId: 'bo' })));
    await paymentOfBo(app, account);
    const { data: parked } = await listParkedPayments(service, accountId, parseInput(parkedListQuery, {}));
    const owner = parseInput(attributeInput, { [given]: account[given] });
    await attributeByHand(service, accountId, parked[0]?.id ?? '', owner);
    expect((await endStateOf(service, accountId)).sales).toMatchObject([OF_BO]);
  });
});
