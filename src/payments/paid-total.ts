import { paymentIn } from '../core/presentment.ts';
import { isTotalReported } from '../core/same-payment.ts';
import type { Payment } from './queries/payments.ts';
import type { Purchase } from './record-sale.ts';

/**
 * What was paid for a sale that the caller reports or imports, against which its refunds are measured: the total that its
 * processor has reported or captured, otherwise the given one.
 *
 * @param stored what is known of the same payment
 */
export function paidTotalOf(
  stored: Payment | null,
  { currency, netMinor, grossMinor }: Pick<Purchase, 'currency' | 'netMinor' | 'grossMinor'>,
): Pick<Purchase, 'grossMinor' | 'isGrossReported' | 'presentment' | 'lines' | 'statedAt' | 'isBare'> {
  const parked = stored?.parked && paymentIn(currency, stored.parked.fact);
  if (parked && isTotalReported(parked) && parked.currency === currency) {
    const { presentment, lines = null, statedAt = null, isBare = false } = parked;
    return { grossMinor: parked.grossMinor, isGrossReported: true, presentment, lines, statedAt, isBare };
  }
  const captured = stored?.awaited?.captured;
  const isCaptured = captured?.currency === currency && netMinor === grossMinor;
  const paidMinor = isCaptured ? captured.amountMinor : grossMinor;
  return {
    grossMinor: paidMinor,
    isGrossReported: isCaptured,
    presentment: null,
    lines: null,
    statedAt: null,
    isBare: false,
  };
}
