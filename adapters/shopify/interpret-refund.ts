import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { currencyExponent, decimalToMinor } from '../../src/core/money.ts';
import { noted, unknown } from '../contract/interpretations.ts';
import { commissionableOf } from './commissionable.ts';
import { globalIdOf, type Refund } from './payload.ts';

type Transaction = Refund['transactions'][number];

const ENDED = new Set(['success', 'failure', 'error']);

/**
 * Sums the successful transactions of kind `refund` per currency, which is the shop's or the shopper's. Nothing counts
 * until every transaction has ended; if one that failed is repeated, the greater amount of the refund counts
 * (`src/core/refund-report.ts`).
 *
 * @param taxesIncluded as stated by the order; null when the body is the refund alone
 */
export function interpretRefund(refund: Refund, taxesIncluded: boolean | null = null): Interpretation {
  const refundId = globalIdOf('Refund', refund.id, refund.admin_graphql_api_id);
  const transactions = refund.transactions.filter(({ kind }) => kind === 'refund');
  const undescribed = transactions.find(({ status }) => status !== 'pending' && !ENDED.has(status));
  if (undescribed) return unknown(`Unknown transaction status ${JSON.stringify(undescribed.status)}`);
  if (transactions.some(({ status }) => status === 'pending')) {
    return noted(`refund ${refundId} is pending at the bank; it counts with the orders/updated that ends it`);
  }
  const totals = totalsByCurrency(
    transactions.filter(({ status }) => status === 'success'),
    onlyCurrencyOf(refund),
  );
  if (totals === null) return unknown('The currency or the amount of a refund transaction cannot be read');
  const facts = [...totals]
    .filter(([, amountMinor]) => amountMinor > 0)
    .map(
      ([currency, amountMinor]): Fact => ({
        kind: 'payment.refunded',
        references: [globalIdOf('Order', refund.order_id)],
        refund:
          totals.size === 1
            ? { refundId, amountMinor, ...commissionableOf(refund, { currency, amountMinor }, taxesIncluded) }
            : { refundId: `${refundId}#${currency}`, amountMinor },
        currency,
        occurredAt: Date.parse(refund.processed_at ?? refund.created_at),
      }),
    );
  return facts.length > 0 ? { kind: 'facts', facts } : noted(`refund ${refundId} paid nothing back`);
}

function totalsByCurrency(
  transactions: readonly Transaction[],
  onlyCurrency: string | null,
): Map<string, number> | null {
  const totals = new Map<string, number>();
  for (const { amount, currency: named } of transactions) {
    const currency = named || onlyCurrency;
    const amountMinor = currency === null ? null : decimalToMinor(amount, currencyExponent(currency) ?? 0);
    if (currency === null || amountMinor === null || amountMinor < 0) return null;
    totals.set(currency, (totals.get(currency) ?? 0) + amountMinor);
  }
  return totals;
}

/** The fallback for transactions without a currency: the single currency of all other amounts in the body. */
function onlyCurrencyOf(refund: Refund): string | null {
  const sets = [refund.total_duties_set, ...(refund.refund_line_items ?? []).map((line) => line.subtotal_set)];
  const named = sets.flatMap((set) => (set ? [set.shop_money.currency_code, set.presentment_money.currency_code] : []));
  const [currency, ...others] = new Set(named);
  return currency !== undefined && others.length === 0 ? currency : null;
}
