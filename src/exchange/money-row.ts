import { PAYMENT_PROCESSORS, type PaymentProcessor } from '../core/processor.ts';
import { validationError } from '../errors.ts';
import type { Fields } from './csv-columns.ts';
import { refused } from './manifest.ts';
import { amountOf, currencyOf, statusOf, timeOf } from './money-cells.ts';
import type { MovedCommission, MovedPayment, MovedPayout, MovedSale } from './moved/facts.ts';
import { requiredCell } from './required-cell.ts';
import { shopifyIdOf } from './shopify-ids.ts';

/** A sale with what it earned; without a commission it earned nothing. */
export function factOfSale(fields: Fields): MovedCommission {
  const currency = currencyOf(requiredCell(fields, 'currency'));
  const { commission, status } = fields;
  if ((commission === undefined) !== (status === undefined)) {
    throw refused('commission and status go together: give both, or neither for a sale that earned nothing');
  }
  const earned = commission === undefined ? 0 : amountOf('commission', commission, currency);
  return {
    ...commissionOf(fields, currency, status === undefined ? 'open' : statusOf(status)),
    id: `sale ${requiredCell(fields, 'invoiceId')}`,
    amountMinor: earned,
    payment: paymentOf(fields, processorIn(fields)),
    isSaleRow: true,
    sale: saleOf(fields, currency, requiredCell(fields, 'amount')),
  };
}

/** What a partner earned; with its sale if the row says enough about it. */
export function factOfCommission(fields: Fields): MovedCommission {
  const currency = currencyOf(requiredCell(fields, 'currency'));
  const { saleAmount, customer } = fields;
  if ((saleAmount === undefined) !== (customer === undefined)) {
    throw refused('saleAmount and customer go together: give both, or neither for a commission without its sale');
  }
  return {
    ...commissionOf(fields, currency, statusOf(requiredCell(fields, 'status'))),
    id: requiredCell(fields, 'id'),
    amountMinor: amountOf('amount', requiredCell(fields, 'amount'), currency),
    // without a sale, the ids are only looked up, and `custom` looks for them at every processor
    payment: paymentOf(fields, saleAmount === undefined ? (knownProcessorIn(fields) ?? 'custom') : processorIn(fields)),
    sale: saleAmount === undefined ? null : saleOf(fields, currency, saleAmount),
  };
}

export function factOfPayout(fields: Fields): MovedPayout {
  const currency = currencyOf(requiredCell(fields, 'currency'));
  const status = requiredCell(fields, 'status');
  if (statusOf(status) !== 'paid') {
    throw refused(`It is ${status}, so nothing was paid: its commissions are imported, and paid here`);
  }
  return {
    kind: 'payout',
    id: requiredCell(fields, 'id'),
    partnerId: requiredCell(fields, 'partner'),
    amountMinor: amountOf('amount', requiredCell(fields, 'amount'), currency),
    currency,
    paidAt: timeOf('date', requiredCell(fields, 'date')),
  };
}

type Common = Omit<MovedCommission, 'id' | 'amountMinor' | 'payment' | 'sale'>;

function commissionOf(fields: Fields, currency: string, status: MovedCommission['status']): Common {
  const { payout, paidDate, dueDate } = fields;
  const occurredAt = timeOf('date', requiredCell(fields, 'date'));
  const paidAt = paidDate === undefined ? null : timeOf('paidDate', paidDate);
  const isPaid = status === 'paid';
  return {
    kind: 'commission',
    partnerId: requiredCell(fields, 'partner'),
    currency,
    status,
    occurredAt,
    dueAt: dueDate === undefined ? null : timeOf('dueDate', dueDate),
    paidAt: isPaid ? paidAt : null,
    payout: isPaid && payout !== undefined ? { id: payout, paidAt: paidAt ?? occurredAt } : null,
  };
}

function knownProcessorIn({ processor = 'custom' }: Fields): PaymentProcessor | undefined {
  return PAYMENT_PROCESSORS.find((name) => name === processor.trim().toLowerCase());
}

function processorIn(fields: Fields): PaymentProcessor {
  const known = knownProcessorIn(fields);
  if (known === undefined) throw refused(`processor: must be one of ${PAYMENT_PROCESSORS.join(', ')}`);
  return known;
}

function paymentOf(fields: Fields, processor: PaymentProcessor): MovedPayment {
  const invoiceId = paymentId('invoiceId', fields, processor);
  const reference = paymentId('reference', fields, processor);
  return { processor, invoiceId, references: reference === null ? [] : [reference] };
}

/** RevenueCat's exports name the store and the transaction in two columns, its webhooks in one id. */
const REVENUECAT_ID = /^[A-Z][A-Z0-9_]*:./;

/**
 * An id as the processor's webhooks name the payment. Null when the row has none.
 *
 * @throws ServiceError `VALIDATION_ERROR` for an id that no webhook names, so that the payment would count twice
 */
function paymentId(name: 'invoiceId' | 'reference', fields: Fields, processor: PaymentProcessor): string | null {
  const text = fields[name];
  if (text === undefined) return null;
  if (processor === 'shopify') return shopifyIdOf('Order', text) ?? text;
  if (processor !== 'revenuecat' || REVENUECAT_ID.test(text)) return text;
  const message = 'must be the store and its transaction, such as APP_STORE:1000000825308402';
  throw validationError([{ path: name, message: `${message}; leave processor empty for an id of your own` }]);
}

function saleOf(fields: Fields, currency: string, amount: string): MovedSale {
  const { customerEmail, grossAmount, refundedAmount } = fields;
  const amountMinor = amountOf('amount', amount, currency);
  const grossMinor = grossAmount === undefined ? amountMinor : amountOf('grossAmount', grossAmount, currency);
  const refundedMinor = refundedAmount === undefined ? 0 : amountOf('refundedAmount', refundedAmount, currency);
  if (grossMinor - refundedMinor < amountMinor && refundedMinor !== 0) {
    throw refused('refundedAmount: the amount is not lower for it; give the total before the refund as grossAmount');
  }
  return {
    customer: {
      externalId: requiredCell(fields, 'customer'),
      email: customerEmail ?? null,
      name: null,
      atProcessor: null,
    },
    amountMinor,
    grossMinor,
    refundedMinor,
    currency,
  };
}
