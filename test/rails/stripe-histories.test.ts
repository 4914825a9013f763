import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TransferResult } from '../../src/rails/contract/transfer.ts';
import { client } from '../../src/rails/stripe/client.ts';
import { FAULTS, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo, CREATE, groupOf, LIST, READ, transferIn } from './stripe-access.ts';

let stripe: StripeConnect;
beforeAll(async () => {
  stripe = await startStripeConnect();
});
afterAll(() => stripe.close());

/** What may happen to a request that orders; `null`: nothing. */
const FAULTS_OF_ORDERS = [
  null,
  FAULTS.drop,
  FAULTS.dropAfter,
  FAULTS.cut,
  FAULTS.notJson,
  FAULTS.unavailable,
  FAULTS.errorAfter,
  FAULTS.errorOfExecution,
  FAULTS.conflict,
  FAULTS.rateLimited('1'),
  FAULTS.answer(stripeError(401, 'Invalid API Key')),
  FAULTS.answer(stripeError(403, 'No permission')),
  FAULTS.answer(stripeError(400, 'Invalid parameter')),
];

const attempt = fc.record({
  // an answer that is lost after the execution leads to the longest histories
  fault: fc.oneof(fc.constant(FAULTS.dropAfter), fc.constantFrom(...FAULTS_OF_ORDERS)),
  isReadFailing: fc.boolean(),
  hasMoney: fc.boolean(),
  isTakenBack: fc.boolean(),
});

const QUIET = { fault: null, isReadFailing: false, hasMoney: true, isTakenBack: false };
const LOST = { ...QUIET, fault: FAULTS.dropAfter };

/** A history for each outcome, because the random ones may miss one. */
const EXAMPLES = [[LOST, QUIET], [LOST, { ...QUIET, isTakenBack: true }], [LOST], [{ ...QUIET, hasMoney: false }]];

it('what is said of a transfer is so, whatever happens to the requests', async () => {
  const said = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 6 }), async (attempts) => {
      const transfer = transferIn(stripe);
      const group = groupOf(transfer);
      let result: TransferResult | null = null;
      let sentCount = 0;
      for (const { fault, isReadFailing, hasMoney, isTakenBack } of attempts) {
        if (fault !== null) stripe.fault(CREATE, fault);
        if (isReadFailing) stripe.fault(READ, FAULTS.unavailable);
        stripe.platform.balances.set('usd', hasMoney ? 2_000 : 0);
        const mine = [...stripe.transfers.values()].find(({ transfer_group }) => transfer_group === group);
        if (isTakenBack && mine?.reversed === false) stripe.platform.reverse(mine.id);
        result = await client.send(accessTo(stripe), transfer, sentCount > 0);
        sentCount += 1;
        stripe.clearFaults();
        if (result.outcome !== 'unknown') break;
      }
      const found = await client.find(accessTo(stripe), transfer);
      const outcome = result?.outcome ?? 'unknown';
      said.set(outcome, (said.get(outcome) ?? 0) + 1);
      expect(stripe.madeOf(group)).toBeLessThanOrEqual(1);
      if (outcome === 'sent') expect([stripe.madeOf(group), found.outcome]).toEqual([1, 'sent']);
      if (outcome === 'contradicted') expect([stripe.madeOf(group), found.outcome]).toEqual([1, 'contradicted']);
      if (outcome === 'refused') expect([stripe.madeOf(group), found.outcome]).toEqual([0, 'none']);
      if (outcome === 'refused' && sentCount > 1) {
        // what an earlier attempt may still do is what it would do now
        stripe.platform.balances.clear();
        expect(await client.send(accessTo(stripe), transfer, true)).toMatchObject({ outcome: 'refused' });
      }
    }),
    { numRuns: 300, examples: EXAMPLES.map((attempts): [typeof attempts] => [attempts]) },
  );
  expect([...said.keys()].sort()).toEqual(['contradicted', 'refused', 'sent', 'unknown']);
});

it('what is found of a transfer is so, or unknown', async () => {
  const transfer = transferIn(stripe);
  for (const fault of FAULTS_OF_ORDERS) {
    if (fault !== null) stripe.fault(LIST, fault);
    const { outcome } = await client.find(accessTo(stripe), transfer);
    expect(['none', 'unknown']).toContain(outcome);
  }
});
