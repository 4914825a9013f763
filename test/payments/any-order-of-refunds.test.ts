import type { PaymentRefunded, PaymentRefundUndone } from '../../src/core/facts.ts';
import { describeStories, facts, lead, MIA, ONE_SALE, type Story } from '../helpers/arrivals.ts';
import type { EndState } from '../helpers/end-state.ts';
import { hints, received, refunded, refundUndone } from '../helpers/facts.ts';

const PAYMENT: [string] = ['pi_1'];
const payment = facts(received(PAYMENT, hints(MIA)));

/** 20 % of 100.00, of which `refundedAmount` of 120.00 went back. */
const afterRefundsOf = (refundedAmount: number): EndState => {
  const [sale] = ONE_SALE.sales;
  if (sale === undefined) throw new Error('The story ends without a sale');
  const reversedCommissionAmount = refundedAmount / 6;
  const owed = sale.commissionAmount - reversedCommissionAmount;
  return { ...ONE_SALE, sales: [{ ...sale, refundedAmount, reversedCommissionAmount }], owed };
};

const refund = (amountMinor: number): PaymentRefunded => refunded(PAYMENT, { refundId: 're_1', amountMinor });
/** Neither how much nor in which currency. */
const failure: PaymentRefundUndone = { ...refundUndone(PAYMENT, 're_1', null), currency: null };

const STORIES: Record<string, Story> = {
  'a refund that is undone by a report without amount and currency, and another refund': {
    arrivals: {
      lead,
      payment,
      refund: facts(refund(6_000)),
      failure: facts(failure),
      other: facts(refunded(PAYMENT, { refundId: 're_2', amountMinor: 3_000 })),
    },
    ends: afterRefundsOf(3_000),
  },
};

describeStories(STORIES);
