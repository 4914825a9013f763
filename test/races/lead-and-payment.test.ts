import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../helpers/databases.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { rounds } from '../helpers/rounds.ts';
import { soldTo } from '../helpers/sold-to.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, customerUpdated, invoicePaid, invoicePaymentPaid } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const ROUNDS = rounds(200);
const ROUNDS_AT_ONCE = 10;

describe.each(engines)("a lead and its customer's payment at the same instant on %s", (engine) => {
  let processes: Processes;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let clickId: string;
  beforeAll(async () => {
    processes = await createProcesses(engine);
    referrer = await createReferrer(processes.app);
    stripe = await createEndpoint(processes.app, 'stripe');
    clickId = await referrer.click();
  });
  afterAll(() => processes.close());

  const lead = (process: number, customerExternalId: string) =>
    untilTaken(() => {
      const body = { clickId, eventName: 'Sign up', customerExternalId };
      return processes.call(process, 'POST', '/api/track/lead', { body });
    });
  const deliver = (process: number, event: unknown) =>
    untilTaken(() => stripe.deliver(event, undefined, processes.urlOf(process)));

  /** Runs all rounds, some of them concurrently; each names the customers that must have one sale each afterwards. */
  async function everyRound(round: (number: number, customer: string) => Promise<void>): Promise<void> {
    const customers = Array.from({ length: ROUNDS }, () => unique('user'));
    for (let start = 0; start < ROUNDS; start += ROUNDS_AT_ONCE) {
      const some = customers.slice(start, start + ROUNDS_AT_ONCE);
      await Promise.all(some.map((customer, index) => round(start + index, customer)));
    }
    expect(await soldTo(processes.app, customers)).toEqual(customers.sort());
    const parked = await processes.app.call('GET', '/api/parked-payments');
    expect(parked.body.data).toEqual([]);
  }

  it(`always end in an attributed sale, ${ROUNDS} times`, async () => {
    await everyRound(async (number, customer) => {
      const answers = await Promise.all([
        lead(number, customer),
        deliver(number + 1, checkoutCompleted({ externalId: customer })),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });
  });

  it(`always end in an attributed sale when only an identifying event links them, ${ROUNDS} times`, async () => {
    await everyRound(async (number, customer) => {
      const atStripe = unique('cus');
      const answers = await Promise.all([
        lead(number, customer),
        deliver(number + 1, invoicePaid({ customer: atStripe })),
        deliver(number, customerUpdated(atStripe, customer)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
  });

  it(`always end in one attributed sale when two parked records of it are merged meanwhile, ${ROUNDS} times`, async () => {
    await everyRound(async (number, customer) => {
      const [invoice, paymentIntent] = [unique('in'), unique('pi')];
      // the surviving record does not name the customer; the one merged into it does
      await deliver(number, invoicePaid({ invoice, customer: unique('cus') }));
      await deliver(number, checkoutCompleted({ externalId: customer, paymentIntent }));
      const answers = await Promise.all([
        lead(number, customer),
        deliver(number + 1, invoicePaymentPaid(invoice, paymentIntent)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    });
  });
});
