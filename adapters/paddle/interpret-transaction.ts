import type { CustomerHints, Interpretation } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import { distinct, type MetadataPlace, NO_HINTS, readMetadata } from '../contract/readers.ts';
import type { Items, Transaction } from './payload.ts';

/**
 * A transaction that was paid. `transaction.paid` comes first and may lack the subscription, `transaction.completed`
 * follows with the same `txn_` id: whichever arrives first counts, the other adds what it knows.
 *
 * `total` is subtotal − discount + tax, `grand_total` what was left to pay after credit: gross. Net and tax are in
 * proportion to it. Nothing charged (a trial, another card, all of it credit): identity and a note.
 */
export function interpretTransaction(transaction: Transaction, occurredAt: number): Interpretation {
  const { id, invoice_id: invoiceId, discount_id: discountId, origin, details } = transaction;
  const { subtotal, discount, total, grand_total: grossMinor } = details.totals;
  const customer = hintsOf(transaction);
  const paidAt = capturedAt(transaction) ?? occurredAt;
  if (grossMinor <= 0) {
    const what = `${id} charged nothing${origin === null ? '' : ` (${origin})`}`;
    return {
      kind: 'facts',
      facts: [
        { kind: 'customer.identified', customer, occurredAt: paidAt },
        { kind: 'noted', what },
      ],
    };
  }
  const beforeTax = subtotal - discount;
  if (beforeTax < 0 || beforeTax > total || grossMinor > total) {
    const reason = `The totals of ${id} contradict each other: ${beforeTax} before tax, ${total} in all, ${grossMinor} to pay`;
    return { kind: 'unknown', reason };
  }
  const netMinor = multiplyRatio(beforeTax, grossMinor, total);
  return {
    kind: 'facts',
    facts: [
      {
        kind: 'payment.received',
        references: distinct([id, invoiceId]),
        invoiceId: id,
        grossMinor,
        netMinor,
        taxMinor: grossMinor - netMinor,
        shippingMinor: 0,
        currency: transaction.currency_code,
        presentment: null,
        // Paddle names each origin of a later payment after the subscription: subscription_recurring, _update, _charge.
        recurring: origin?.startsWith('subscription_') ?? false,
        customer,
        discountCodes: distinct([discountId]),
        occurredAt: paidAt,
      },
    ],
  };
}

/** Where a transaction's or a subscription's metadata may stand, the strongest place first. */
export function metadataPlaces(
  entity: 'transaction' | 'subscription',
  { custom_data, items }: { custom_data?: unknown; items: Items },
): MetadataPlace[] {
  return [
    { place: `${entity}.custom_data`, metadata: custom_data },
    ...items.map(({ price }, index) => ({
      place: `${entity}.items[${index}].price.custom_data`,
      metadata: price?.custom_data,
    })),
  ];
}

function hintsOf(transaction: Transaction): CustomerHints {
  return {
    ...NO_HINTS,
    ...readMetadata(metadataPlaces('transaction', transaction)),
    processorCustomerId: transaction.customer_id,
    subscriptionId: transaction.subscription_id,
  };
}

/** The same in both events of a payment, so that their order makes no difference; wire transfers have none. */
function capturedAt({ payments }: Transaction): number | null {
  const times = payments.flatMap(({ status, captured_at: time }) => (status === 'captured' && time ? time : []));
  return times.length === 0 ? null : Math.max(...times);
}
