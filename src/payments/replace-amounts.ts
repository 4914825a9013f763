import type { TraceStep } from '../core/attribution.ts';
import { commissionAfter } from '../core/commission.ts';
import type { PaidLines, PaymentReceived } from '../core/facts.ts';
import { formatMoney } from '../core/money.ts';
import { isWrittenBefore } from '../core/same-payment.ts';
import { addEntries, hasCommissionEntry } from '../ledger/entries.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import type { ReversibleSale } from './queries/reversible-sales.ts';
import { updateAmounts, updateGross } from './queries/sale-amounts.ts';
import { findSteps } from './queries/sales.ts';
import { ownerOf, resultOf } from './reverse-sale.ts';

/** The amounts that a report says were paid. */
export interface ReportedAmounts extends Pick<PaymentReceived, 'netMinor' | 'grossMinor' | 'currency' | 'presentment'> {
  lines?: PaidLines | undefined;
  statedAt?: number | undefined;
}

/**
 * Replaces the amounts of a sale with those of a better report: the sale's come from a bare report, or from one that
 * the processor wrote later. Recomputes the commission under the sale's own terms and appends the difference to the
 * ledger. The difference is an adjustment, so that a sale has one commission entry; a sale that has none gets its
 * commission entry here. Otherwise returns the sale unchanged, as always when its amount is the caller's. The
 * caller settles the reversals of a changed sale.
 */
export async function replaceAmounts(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  report: ReportedAmounts,
): Promise<ReversibleSale> {
  const { netMinor, grossMinor, currency, presentment, lines = null, statedAt = null } = report;
  const isFirst = isWrittenBefore(report, sale);
  const { id, accountId, terms } = sale;
  if (!(sale.isBare || isFirst) || terms.isCallersAmount || sale.currency !== currency) return sale;
  const amount = terms.amountBasis === 'gross' ? grossMinor : netMinor;
  if (!sale.isBare && saysTheSame(sale, amount, report)) {
    // a report of a change that has since been undone may have been written between the two
    await updateGross(tx, sale, { ...sale, statedAt });
    return { ...sale, statedAt };
  }
  const commissionAmount = commissionAfter(sale, terms, amount);
  const amounts = {
    amount,
    grossAmount: grossMinor,
    presentmentAmount: presentment?.grossMinor ?? null,
    presentmentCurrency: presentment?.currency ?? null,
    paidLines: lines,
    statedAt,
    commissionAmount,
  };
  const known = sale.isBare ? 'the amount paid is now known' : 'the order cost this before it was edited';
  // partners read it in the statement of the payout
  const [paid, before] = [amount, sale.amount].map((amountMinor) => formatMoney(amountMinor, currency));
  const reason = `${known}: ${paid} instead of ${before}`;
  const step: TraceStep = { step: 'commission', value: String(commissionAmount), result: 'noted', reason };
  await updateAmounts(tx, sale, amounts, [...(await findSteps(tx, accountId, id)), step]);
  const commission = commissionAmount - sale.commissionAmount;
  if (commission !== 0) {
    const isFirstEntry = sale.commissionAmount === 0 && !(await hasCommissionEntry(tx, id));
    const kind = isFirstEntry ? 'commission' : 'adjustment';
    await addEntries(tx, ownerOf(sale), [{ kind, amountMinor: commission, reason }], now);
  }
  // a voided sale has no revenue
  const revenue = sale.voidedReason === null ? amount - sale.amount : 0;
  countResults(tx, [{ ...resultOf(sale), revenue, commission }]);
  return { ...sale, ...amounts, isBare: false };
}

/** True when the report changes nothing. A payment is usually reported twice without a change in between. */
function saysTheSame(
  sale: ReversibleSale,
  amount: number,
  { grossMinor, presentment, lines }: ReportedAmounts,
): boolean {
  return (
    sale.amount === amount &&
    sale.grossAmount === grossMinor &&
    sale.presentmentAmount === (presentment?.grossMinor ?? null) &&
    JSON.stringify(sale.paidLines) === JSON.stringify(lines ?? null)
  );
}
