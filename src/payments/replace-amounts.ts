import type { TraceStep } from '../core/attribution.ts';
import { commissionAfter } from '../core/commission.ts';
import type { PaymentReceived } from '../core/facts.ts';
import { addEntries } from '../ledger/entries.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { findSteps, type ReversibleSale, updateAmounts } from './queries/sales.ts';
import { ownerOf, resultOf } from './reverse-sale.ts';

/** What a report says was paid. */
export type ReportedAmounts = Pick<PaymentReceived, 'netMinor' | 'grossMinor' | 'currency' | 'presentment'>;

/**
 * Replaces the amounts that a sale has from a bare report with those of a better one, recomputes its commission under the
 * sale's own terms, and appends the difference to the ledger: as an adjustment, so that a sale has one commission entry.
 * Other sales are returned as they are. The caller settles the reversals of a changed sale.
 */
export async function replaceBareAmounts(
  tx: Transaction,
  now: number,
  sale: ReversibleSale,
  { netMinor, grossMinor, currency, presentment }: ReportedAmounts,
): Promise<ReversibleSale> {
  if (!sale.isBare || sale.currency !== currency) return sale;
  const { id, accountId, terms } = sale;
  const amount = terms.amountBasis === 'gross' ? grossMinor : netMinor;
  const commissionAmount = commissionAfter(sale, terms, amount);
  const amounts = {
    amount,
    grossAmount: grossMinor,
    presentmentAmount: presentment?.grossMinor ?? null,
    presentmentCurrency: presentment?.currency ?? null,
    commissionAmount,
  };
  const reason = `what was paid is known by now: ${amount} instead of ${sale.amount}`;
  const step: TraceStep = { step: 'commission', value: String(commissionAmount), result: 'noted', reason };
  await updateAmounts(tx, sale, amounts, [...(await findSteps(tx, accountId, id)), step]);
  const commission = commissionAmount - sale.commissionAmount;
  if (commission !== 0) {
    const kind = sale.commissionAmount === 0 ? 'commission' : 'adjustment';
    const owner = { ...ownerOf(sale), isUndecided: sale.review === 'flagged' };
    await addEntries(tx, owner, [{ kind, amountMinor: commission, reason }], now);
  }
  countResults(tx, [{ ...resultOf(sale), revenue: amount - sale.amount, commission }]);
  return { ...sale, ...amounts, isBare: false };
}
