import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { engines } from '../helpers/databases.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { customerUpdated, invoicePaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';
import { placesOf } from '../privacy/places-of.ts';

const ROUNDS = rounds(60);
const ROUNDS_AT_ONCE = 6;

describe.each(engines)("a person's erasure and a payment of theirs at the same instant on %s", (engine) => {
  let processes: Processes;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    processes = await createProcesses(engine);
    referrer = await createReferrer(processes.app);
    stripe = await createEndpoint(processes.app, 'stripe');
  });
  afterAll(() => processes.close());

  const inRounds = async (round: (number: number) => Promise<void>) => {
    for (let start = 0; start < ROUNDS; start += ROUNDS_AT_ONCE) {
      await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, (_, index) => round(start + index)));
    }
  };

  it(`leave nothing of them, ${ROUNDS} times`, async () => {
    const domain = `${unique('erased')}.example.com`;
    await inRounds(async (number) => {
      const customer = unique('user');
      const email = `${customer}@${domain}`;
      await referrer.lead(customer, { customerEmail: email });
      const paid = invoicePaid({ customer: unique('cus') });
      const event = { ...paid, data: { object: { ...(paid.data.object as object), customer_email: email } } };
      const [erased, delivered] = await Promise.all([
        untilTaken(() => processes.call(number, 'DELETE', `/api/customers/${customer}/personal-data`)),
        untilTaken(() => stripe.deliver(event, undefined, processes.urlOf(number + 1))),
      ]);
      expect([erased.status, delivered.body]).toEqual([204, expect.objectContaining({ outcome: 'unattributed' })]);
    });
    const { service } = processes.app;
    const places = () => placesOf(service.database, domain);
    expect((await places()).filter((place) => /^(payments|parked_hints|customers)/.test(place))).toEqual([]);
    await eraseMentionedIdentities(service);
    // the bodies of deliveries are searched later
    expect((await places()).filter((place) => !place.startsWith('deliveries.'))).toEqual([]);
  });

  it(`leave nothing of them in a payment that has only a processor's id, ${ROUNDS} times`, async () => {
    const name = unique('Erased');
    await inRounds(async (number) => {
      const [externalId, customer] = [unique('user'), unique('cus')];
      await stripe.deliver(customerUpdated(customer, externalId));
      const paid = invoicePaid({ customer });
      const event = { ...paid, data: { object: { ...(paid.data.object as object), customer_name: name } } };
      const [erased, delivered] = await Promise.all([
        untilTaken(() => processes.call(number, 'DELETE', `/api/customers/${externalId}/personal-data`)),
        untilTaken(() => stripe.deliver(event, undefined, processes.urlOf(number + 1))),
      ]);
      expect([erased.status, delivered.body.outcome]).toEqual([204, 'unattributed']);
    });
    const places = await placesOf(processes.app.service.database, name);
    expect(places.filter((place) => /^(payments|identities)/.test(place))).toEqual([]);
  });
});
