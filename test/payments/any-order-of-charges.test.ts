import { NO_CHARGE } from '../../src/core/refunded.ts';
import { afterRefundOf, describeStories, facts, lead, MIA, ONE_SALE } from '../helpers/arrivals.ts';
import { hints, ofInvoice, received, referenced, refunded, refundUndone } from '../helpers/facts.ts';

const FIRST: [string, string] = ['pi_1', 'ch_1'];
const REST = { chargeId: 'pi_1', releasedMinor: 3_000 };
const SECOND = ['pi_2', 'ch_2'];
const total = (charge: string[], cumulativeAmountMinor: number, chargeId = charge[0] ?? '') =>
  facts(refunded(charge, { cumulativeAmountMinor, chargeId }));

const invoice = facts(received(['in_1'], hints(MIA)));
const paying = (id: string, ...charge: string[]) => facts({ ...referenced(id, ...charge), ...ofInvoice(id) });
const invoicePayment = paying('in_1', 'pi_1');
const CASH = { refundId: 'cn_1', amountMinor: 3_000 };
const cash = facts(refunded(['in_1'], { ...CASH, chargeId: NO_CHARGE }));
const UNREFUNDED = afterRefundOf(0);
const REFUNDED = afterRefundOf(12_000).sales.map((sale) => ({ ...sale, status: 'refunded' }));
const ONE_OF_TWO_REFUNDED = { ...UNREFUNDED, sales: [...REFUNDED, ...UNREFUNDED.sales], owed: 2_000 };
const cashVoided = facts({ ...refundUndone(['in_1'], 'cn_1', 3_000), chargeId: NO_CHARGE });

/** 30.00 of each charge came back, of 120.00 paid by both; another 10.00 of the second failed. */
describeStories({
  'an invoice that two charges paid, of each of which a part is refunded': {
    arrivals: {
      lead,
      invoice,
      'payment of the first': invoicePayment,
      'payment of the second': paying('in_1', 'pi_2'),
      'charge 1 refunded 10.00': total(FIRST, 1_000),
      'charge 1 refunded 30.00': total(FIRST, 3_000),
      'charge 2 refunded 30.00': total(SECOND, 3_000),
      'charge 2 refunded 40.00': total(SECOND, 4_000),
      'refund re_2 failed': facts({ ...refundUndone(SECOND, 're_2', 1_000), chargeId: 'pi_2' }),
    },
    ends: afterRefundOf(6_000),
  },
  'two invoices that one charge paid': {
    arrivals: {
      lead,
      invoice,
      invoicePayment,
      'invoice 2': facts(received(['in_2'], hints(MIA))),
      'payment of invoice 2': paying('in_2', 'pi_1'),
    },
    ends: { ...UNREFUNDED, sales: [...UNREFUNDED.sales, ...UNREFUNDED.sales], owed: 4_000 },
  },
  'two invoices that one charge paid, whose intent counts as well, and a refund of the charge': {
    arrivals: {
      lead,
      intent: facts(received(FIRST, hints(MIA), { grossMinor: 24_000, netMinor: 24_000, taxMinor: 0, isBare: true })),
      invoice,
      invoicePayment,
      'invoice 2': facts(received(['in_2'], hints(MIA))),
      'payment of invoice 2': paying('in_2', 'pi_1'),
      refund: total(FIRST, 12_000),
    },
    ends: ONE_OF_TWO_REFUNDED,
  },
  'two invoices that one charge paid, one of which its intent names, and a refund of the charge': {
    arrivals: {
      lead,
      invoice,
      'invoice 2': facts(received(['in_2'], hints(MIA))),
      'payment of invoice 2': paying('in_2', 'pi_1'),
      'intent, for the first': paying('in_1', ...FIRST),
      refund: total(FIRST, 12_000),
    },
    ends: ONE_OF_TWO_REFUNDED,
  },
  'two invoices that name the charge that paid both, and a refund of it': {
    arrivals: {
      lead,
      invoice: facts(received(['in_1', ...FIRST], hints(MIA), ofInvoice('in_1'))),
      'invoice 2': facts(received(['in_2', ...FIRST], hints(MIA), ofInvoice('in_2'))),
      refund: total(FIRST, 12_000),
      'the same, of a charge that names the second': facts(
        { ...referenced('in_2', ...FIRST), ...ofInvoice('in_2') },
        refunded(FIRST, { cumulativeAmountMinor: 12_000, chargeId: 'pi_1' }),
      ),
    },
    ends: ONE_OF_TWO_REFUNDED,
  },
  'a refund outside of the charge, and others in its total, one of them by id as well': {
    arrivals: {
      lead,
      invoice,
      invoicePayment,
      cash,
      'charge refunded 18.00': total(FIRST, 1_800),
      'charge refunded 24.00': total(FIRST, 2_400),
      'refund re_1': facts(refunded(FIRST, { refundId: 're_1', amountMinor: 1_800, chargeId: 'pi_1' })),
    },
    ends: afterRefundOf(5_400),
  },
  'a refund outside of the charge that was voided, and another in its total': {
    arrivals: { lead, invoice, invoicePayment, cash, cashVoided, 'charge refunded 24.00': total(FIRST, 2_400) },
    ends: afterRefundOf(2_400),
  },
  'the same, which an earlier version stored': {
    arrivals: {
      lead,
      invoice,
      invoicePayment,
      cash: facts(refunded(['in_1'], CASH)),
      cashVoided,
      'charge refunded 24.00': total(FIRST, 2_400),
    },
    ends: afterRefundOf(2_400),
  },
  'a charge that was captured in part, whose rest Stripe reports as a refund': {
    arrivals: {
      lead,
      session: facts({ ...received(['pi_1', 'cs_1'], hints(MIA)), kind: 'payment.announced' }),
      intent: facts({
        kind: 'payment.captured',
        references: FIRST,
        amountMinor: 9_000,
        currency: 'usd',
        occurredAt: Date.UTC(2026, 10, 1),
      }),
      'rest released': facts(refunded(FIRST, { ...REST, cumulativeAmountMinor: 0 })),
      'rest released, by id': facts(refunded(FIRST, { refundId: 're_0', amountMinor: 3_000, chargeId: 'pi_1' })),
      'refund re_1': facts(refunded(FIRST, { refundId: 're_1', amountMinor: 1_800, chargeId: 'pi_1' })),
      'charge refunded 18.00': facts(refunded(FIRST, { ...REST, cumulativeAmountMinor: 1_800 })),
    },
    // three quarters of it were captured, and a fifth of that refunded
    ends: {
      ...ONE_SALE,
      sales: ONE_SALE.sales.map((sale) => ({
        ...sale,
        amount: 7_500,
        grossAmount: 9_000,
        commissionAmount: 1_500,
        refundedAmount: 1_800,
        reversedCommissionAmount: 300,
      })),
      owed: 1_200,
    },
  },
});
