import type { DisputeState } from '../../src/core/facts.ts';
import { CurrencyMismatch } from '../../src/payments/reported-amounts.ts';
import { type Arrivals, afterRefundOf, describeStories, facts, lead, MIA } from '../helpers/arrivals.ts';
import { inTurn, saleByClick, saleOfCustomer } from '../helpers/backend-reports.ts';
import type { EndState } from '../helpers/end-state.ts';
import { disputed, hints, received, referenced, refunded } from '../helpers/facts.ts';

/** The backend reports one payment twice, in dollars. What the processor reports is in euros, except the refund. */
const inEuros = facts(received(['pi_1'], hints({}), { currency: 'eur' }));
const refund = facts(refunded(['pi_1'], { refundId: 're_1', amountMinor: 3_000 }));
const twoNames = { lead, inEuros, joined: facts(referenced('pi_1', 'cs_1')), refund };

/** 30.00 of 100.00 went back: the total is the amount of the report that stays. */
const [SALE] = afterRefundOf(3_000).sales;
const OWN_TOTAL = {
  ...afterRefundOf(3_000),
  sales: [{ ...SALE, grossAmount: 10_000, reversedCommissionAmount: 600 }],
  owed: 1_400,
} as EndState;

const payment = facts(received(['pi_1'], hints(MIA)));
const disputeIn = (currency: string, state: DisputeState, late = 0): Arrivals[string] => {
  const fact = disputed(['pi_1'], 'du_1', 3_000, state);
  const arrive = facts({ ...fact, currency, occurredAt: fact.occurredAt + late });
  return (app, account) => arrive(app, account).catch(unlessMismatch);
};
/** The delivery would fail. */
function unlessMismatch(error: unknown): void {
  if (!(error instanceof CurrencyMismatch)) throw error;
}
/** 30.00 of 120.00 are disputed. */
const HELD = {
  ...afterRefundOf(0),
  sales: afterRefundOf(0).sales.map((sale) => ({ ...sale, status: 'disputed', held: -500 })),
  owed: 1_500,
};

describeStories({
  'two amounts under two names': {
    arrivals: {
      ...inTurn(saleByClick({ invoiceId: 'cs_1' }), saleByClick({ invoiceId: 'pi_1', amount: 12_000 })),
      ...twoNames,
    },
    ends: OWN_TOTAL,
  },
  'two amounts under two names, the second without a click': {
    arrivals: {
      ...inTurn(saleByClick({ invoiceId: 'cs_1' }), saleOfCustomer({ invoiceId: 'pi_1', amount: 12_000 })),
      ...twoNames,
    },
    ends: OWN_TOTAL,
  },
  'two amounts under two names, the second without a click for somebody unknown': {
    arrivals: {
      ...inTurn(
        saleByClick({ invoiceId: 'cs_1' }),
        saleOfCustomer({ invoiceId: 'pi_1', amount: 12_000, customerExternalId: 'bo' }),
      ),
      ...twoNames,
    },
    ends: OWN_TOTAL,
  },
  'two amounts under one name, the first without a click': {
    arrivals: {
      ...inTurn(saleOfCustomer({ invoiceId: 'pi_1', amount: 12_000 }), saleByClick({ invoiceId: 'pi_1' })),
      inEuros,
      refund,
    },
    ends: OWN_TOTAL,
  },
  'a dispute that was opened in the currency of the shopper and lost in that of the shop': {
    arrivals: {
      lead,
      payment: facts(received(['pi_1'], hints(MIA), { presentment: { currency: 'eur', grossMinor: 6_000 } })),
      opened: facts({ ...disputed(['pi_1'], 'du_1', 3_000, 'open'), currency: 'eur' }),
      lost: facts(disputed(['pi_1'], 'du_1', 3_000, 'lost')),
    },
    ends: afterRefundOf(3_000),
  },
  'a dispute that was opened in the currency of the sale, and of which a loss in another is refused': {
    arrivals: { lead, payment, opened: disputeIn('usd', 'open'), lost: disputeIn('gbp', 'lost') },
    ends: HELD,
  },
  'a dispute that was opened in the currency of the sale, and of which a win in another is refused': {
    arrivals: { lead, payment, opened: disputeIn('usd', 'open'), won: disputeIn('gbp', 'won') },
    ends: HELD,
  },
  'a dispute that was opened in another currency than that of the sale, which is refused, and lost': {
    arrivals: { lead, payment, opened: disputeIn('gbp', 'open'), lost: disputeIn('usd', 'lost') },
    ends: afterRefundOf(3_000),
  },
  'a dispute that was lost, and of which a later win in another currency is refused': {
    arrivals: { lead, payment, lost: disputeIn('usd', 'lost'), won: disputeIn('gbp', 'won', 60_000) },
    ends: afterRefundOf(3_000),
  },
});
