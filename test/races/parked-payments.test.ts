import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createProcesses, type Processes } from '../helpers/processes.ts';
import { rounds } from '../helpers/rounds.ts';
import { soldTo } from '../helpers/sold-to.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { checkoutUnpaid, invoicePaid, invoicePaymentPaid, paymentCaptured } from '../helpers/stripe-payloads.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const ROUNDS = rounds(150);
const ROUNDS_AT_ONCE = 10;

describe.each(engines)(
  'a parked payment and what is learned about its customer at the same instant on %s',
  (engine) => {
    let processes: Processes;
    let referrer: Referrer;
    let other: Referrer;
    let stripe: EndpointUnderTest;
    beforeAll(async () => {
      processes = await createProcesses(engine);
      referrer = await createReferrer(processes.app);
      other = await createReferrer(processes.app);
      stripe = await createEndpoint(processes.app, 'stripe');
    });
    afterAll(() => processes.close());

    const post = (process: number, path: string, body: object) =>
      untilTaken(() => processes.call(process, 'POST', path, { body }));
    const deliver = (process: number, event: unknown) =>
      untilTaken(() => stripe.deliver(event, undefined, processes.urlOf(process)));
    const lead = (process: number, clickId: string, customerExternalId: string) =>
      post(process, '/api/track/lead', { clickId, eventName: 'Sign up', customerExternalId });

    /** Delivers a payment that nobody is known to have made. */
    async function park(event: unknown): Promise<void> {
      const { body } = await deliver(0, event);
      expect(body.outcome).toBe('unattributed');
    }
    async function parkedIdOf(invoice: string): Promise<string> {
      const { body } = await processes.app.call('GET', '/api/parked-payments?limit=100');
      return body.data.find(({ invoiceId }: { invoiceId: string }) => invoiceId === invoice).id;
    }

    /** Starts both, each a few milliseconds before or after the other. */
    async function atOnce(
      number: number,
      one: () => Promise<Answer>,
      another: () => Promise<Answer>,
    ): Promise<number[]> {
      const late = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const lead = (number % 8) - 4;
      const answers = await Promise.all([late(Math.max(0, lead)).then(one), late(Math.max(0, -lead)).then(another)]);
      return answers.map(({ status }) => status);
    }

    /** Runs all rounds, some of them concurrently. Each names the customers that must have its sales afterwards. */
    async function everyRound(round: (number: number) => Promise<string[]>): Promise<void> {
      const customers: string[] = [];
      for (let start = 0; start < ROUNDS; start += ROUNDS_AT_ONCE) {
        const some = Array.from({ length: Math.min(ROUNDS_AT_ONCE, ROUNDS - start) }, (_, index) =>
          round(start + index),
        );
        customers.push(...(await Promise.all(some)).flat());
      }
      expect(await soldTo(processes.app, customers)).toEqual(customers.sort());
      const parked = await processes.app.call('GET', '/api/parked-payments');
      expect(parked.body.data).toEqual([]);
    }

    it.each([['it turns out to be a sale'], ['the caller reports it'], ['a person attributes it']])(
      'end in a sale of the next invoice: %s',
      async (how) => {
        await everyRound(async (number) => {
          const [customer, atStripe, intent] = [unique('user'), unique('cus'), unique('pi')];
          const [first, next] = [unique('in'), unique('in')];
          const clickId = await referrer.lead(customer);
          const sale = { clickId, customerExternalId: customer, amount: 2_000, paymentProcessor: 'stripe' };
          await park(invoicePaid({ customer: atStripe, invoice: first }));
          let learn = () => deliver(number, invoicePaymentPaid(first, intent));
          if (how === 'it turns out to be a sale') {
            expect((await post(0, '/api/track/sale', { ...sale, invoiceId: intent })).status).toBe(200);
          } else if (how === 'the caller reports it') {
            learn = () => post(number, '/api/track/sale', { ...sale, invoiceId: first });
          } else {
            const id = await parkedIdOf(first);
            learn = () => post(number, `/api/parked-payments/${id}/attribute`, { customerExternalId: customer });
          }
          const renewal = invoicePaid({ customer: atStripe, invoice: next });
          // every other round, both are sent to one process
          const statuses = await atOnce(number, learn, () => deliver(number + (number % 2), renewal));
          expect(statuses).toEqual([200, 200]);
          return [customer, customer];
        });
      },
    );

    it.each([['its money'], ['its invoice']])(
      'end in a sale when an earlier report names the customer, who signs up with %s',
      async (what) => {
        await everyRound(async (number) => {
          const [customer, intent, invoice] = [unique('user'), unique('pi'), unique('in')];
          const clickId = await referrer.click();
          await deliver(number, checkoutUnpaid({ externalId: customer, paymentIntent: intent }));
          if (what === 'its invoice') await park(invoicePaid({ invoice }));
          const report = what === 'its money' ? paymentCaptured(intent) : invoicePaymentPaid(invoice, intent);
          const receive = () => deliver(number, report);
          const signUp = () => lead(number + 1, clickId, customer);
          expect(await atOnce(number, receive, signUp)).toEqual([200, 200]);
          return [customer];
        });
      },
    );

    it.each([['signs up'], ['has paid, as the caller says'], ['has paid, as the processor says']])(
      'end in one customer when a person attributes it while its customer %s',
      async (what) => {
        await everyRound(async (number) => {
          const customer = unique('user');
          const [first, next] = [unique('in'), unique('in')];
          const named = { externalId: customer, subscription: unique('sub') };
          const clickId = await referrer.click();
          await park(invoicePaid({ ...named, invoice: first }));
          const id = await parkedIdOf(first);
          const attribute = () => post(number, `/api/parked-payments/${id}/attribute`, { partnerId: other.partnerId });
          const report = () => {
            if (what === 'signs up') return lead(number + 1, clickId, customer);
            const sale = { clickId, customerExternalId: customer, amount: 500, invoiceId: next };
            if (what === 'has paid, as the caller says') return post(number + 1, '/api/track/sale', sale);
            return deliver(number + 1, invoicePaid({ ...named, invoice: next }));
          };
          const [byHand, reported] = await atOnce(number, attribute, report);
          expect(reported).toBe(200);
          // what the caller reports may have made it a sale before
          expect(what === 'has paid, as the processor says' ? [200] : [200, 409]).toContain(byHand);
          return what === 'signs up' ? [customer] : [customer, customer];
        });
      },
    );
  },
);
