import type { PaymentRefundUndone } from '../../src/core/facts.ts';
import { ServiceError } from '../../src/errors.ts';
import { reportRefundOfInvoice } from '../../src/payments/report-refund.ts';
import { saleInput } from '../../src/payments/resources/sale-schemas.ts';
import { trackSale } from '../../src/payments/sale.ts';
import { parseInput } from '../../src/schema/parse.ts';
import type { ReferredAccount } from '../helpers/account.ts';
import type { TestApp } from '../helpers/app.ts';
import { type Arrivals, afterRefundOf, describeStories, facts, lead, MIA, type Story } from '../helpers/arrivals.ts';
import { hints, received, refunded, refundUndone } from '../helpers/facts.ts';

const PAYMENT: [string] = ['pi_1'];
const payment = facts(received(PAYMENT, hints(MIA)));
const refundOf = (amountMinor: number) => refunded(PAYMENT, { refundId: 're_1', amountMinor });

/** Neither how much nor in which currency. */
const FAILURE: PaymentRefundUndone = { ...refundUndone(PAYMENT, 're_1', null), currency: null };

/** The caller reports `re_1` with another amount; refused before its sale, and after the processor's report. */
const refundByCaller: Arrivals[string] = (app, account) => unlessRefused(reportRefund(app, account, 'pi_1', 5_000));

const reportRefund = (app: TestApp, { accountId }: ReferredAccount, invoiceId: string, amount: number) =>
  reportRefundOfInvoice(app.service, accountId, { invoiceId, refundId: 're_1', amount, currency: null });

/** A paid invoice, which the caller then refunds. Since basil, Stripe's own refund of it names only the intent. */
const invoiceAndRefund: Arrivals[string] = async (app, account) => {
  await facts(received(['in_1'], hints(MIA)))(app, account);
  await reportRefund(app, account, 'in_1', 3_000);
};

const saleByCaller =
  (paymentProcessor: string): Arrivals[string] =>
  (app, { accountId, clickId }) => {
    const body = { clickId, customerExternalId: 'mia', amount: 10_000, invoiceId: 'pi_1', paymentProcessor };
    return unlessRefused(trackSale(app.service, accountId, parseInput(saleInput, body)));
  };

async function unlessRefused(report: Promise<unknown>): Promise<void> {
  const refusals = ['NOT_FOUND', 'CONFLICT', 'DUPLICATE_INVOICE'];
  await report.catch((error: unknown) => {
    if (!(error instanceof ServiceError && refusals.includes(error.code))) throw error;
  });
}

const refund = facts(refundOf(3_000));
const STORIES: Record<string, Story> = {
  'a refund that is undone by a report without amount and currency, and another refund': {
    arrivals: {
      lead,
      payment,
      refund: facts(refundOf(6_000)),
      failure: facts(FAILURE),
      other: facts(refunded(PAYMENT, { refundId: 're_2', amountMinor: 3_000 })),
    },
    ends: afterRefundOf(3_000),
  },
  'a refund that caller and processor report with different amounts': {
    arrivals: { lead, payment, refundByCaller, refund },
    ends: afterRefundOf(3_000),
  },
  'a refund that the processor reports with different amounts': {
    arrivals: {
      lead,
      payment,
      part: facts(refunded(PAYMENT, { refundId: 're_1', amountMinor: 1_000 })),
      refundByCaller,
      refund: facts(refunded(PAYMENT, { refundId: 're_1', amountMinor: 3_000, commissionableMinor: 2_400 })),
      more: facts(refunded(PAYMENT, { refundId: 're_1', amountMinor: 2_000, commissionableMinor: 2_000 })),
    },
    ends: afterRefundOf(3_000, 480),
  },
  'the same refund of a payment that the caller reports under the name of its processor': {
    arrivals: { lead, saleByCaller: saleByCaller('stripe'), payment, refundByCaller, refund },
    ends: afterRefundOf(3_000),
  },
  'the same refund of a payment that the caller reports without its processor': {
    arrivals: { lead, saleByCaller: saleByCaller('custom'), payment, refundByCaller, refund },
    ends: afterRefundOf(3_000),
  },
  'the same refund of a payment that the caller reports under the name of another processor': {
    arrivals: { lead, saleByCaller: saleByCaller('shopify'), payment, refundByCaller, refund },
    ends: afterRefundOf(3_000),
  },
  'the same refund, which succeeded after it had failed': {
    arrivals: {
      lead,
      payment,
      refundByCaller,
      failure: facts(FAILURE),
      refund: facts({ ...refundOf(3_000), occurredAt: FAILURE.occurredAt + 60_000 }),
    },
    ends: afterRefundOf(3_000),
  },
  'a refund that is reported as failed again after the total of a later refund': {
    arrivals: {
      lead,
      payment,
      refund: facts(refundOf(1_000)),
      failure: facts(refundUndone(PAYMENT, 're_1', 1_000)),
      other: facts({
        ...refunded(PAYMENT, { refundId: 're_2', amountMinor: 3_000 }),
        occurredAt: FAILURE.occurredAt + 1,
      }),
      total: facts({ ...refunded(PAYMENT, { cumulativeAmountMinor: 3_000 }), occurredAt: FAILURE.occurredAt + 1 }),
      failedAgain: facts({ ...FAILURE, occurredAt: FAILURE.occurredAt + 2 }),
    },
    ends: afterRefundOf(3_000),
  },
  'a refund that failed long before the caller reported it': {
    arrivals: { lead, payment, refundByCaller, refund, failure: facts(FAILURE) },
    ends: afterRefundOf(0),
  },
  'the same of a payment that the caller reports without its processor': {
    arrivals: { lead, saleByCaller: saleByCaller('custom'), payment, refundByCaller, refund, failure: facts(FAILURE) },
    ends: afterRefundOf(0),
  },
  'the same of a payment that the caller reports under the name of another processor': {
    arrivals: { lead, saleByCaller: saleByCaller('shopify'), payment, refundByCaller, refund, failure: facts(FAILURE) },
    ends: afterRefundOf(0),
  },
  'a refund by the caller and by the processor, which names the payment otherwise': {
    arrivals: { lead, invoiceAndRefund, refund },
    ends: afterRefundOf(3_000),
  },
  'the same, which failed': {
    arrivals: { lead, invoiceAndRefund, refund, failure: facts(FAILURE) },
    ends: afterRefundOf(0),
  },
};

describeStories(STORIES);
