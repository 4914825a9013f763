import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../helpers/databases.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { rounds } from '../helpers/rounds.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { customerUpdated, invoicePaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const ROUNDS = rounds(100);
const ROUNDS_AT_ONCE = 10;

describe.each(engines)("a customer's first two payments at the same instant on %s", (engine) => {
  let processes: Processes;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  beforeAll(async () => {
    processes = await createProcesses(engine);
    const { app } = processes;
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { durationMonths: 0 } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
  });
  afterAll(() => processes.close());

  async function requireOneCommission(round: number): Promise<void> {
    const [customerExternalId, atStripe] = [unique('user'), unique('cus')];
    await referrer.lead(customerExternalId);
    await stripe.deliver(customerUpdated(atStripe, customerExternalId));
    // one names the customer by your id, the other by Stripe's
    const body = { customerExternalId, amount: 2_000, invoiceId: unique('order') };
    const payment = invoicePaid({ customer: atStripe });
    const answers = await Promise.all([
      untilTaken(() => processes.call(round, 'POST', '/api/sales', { body })),
      untilTaken(() => stripe.deliver(payment, undefined, processes.urlOf(round + 1))),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { data } = (await processes.app.call('GET', `/api/sales?customerExternalId=${customerExternalId}`)).body;
    const commissions = data.map(({ commissionAmount }: { commissionAmount: number }) => commissionAmount);
    expect(commissions.toSorted()).toEqual([0, 400]);
  }

  it(`earn once where only the first sale earns, ${ROUNDS} times`, async () => {
    for (let start = 0; start < ROUNDS; start += ROUNDS_AT_ONCE) {
      const some = Array.from({ length: ROUNDS_AT_ONCE }, (_, index) => start + index);
      await Promise.all(some.map(requireOneCommission));
    }
  });
});
