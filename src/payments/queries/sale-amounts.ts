import type { TraceStep } from '../../core/attribution.ts';
import type { SaleTerms } from '../../core/commission.ts';
import type { PaidLines } from '../../core/facts.ts';
import type { AccountId, SaleId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

interface StoredSale {
  accountId: AccountId;
  id: SaleId;
}

/** Replaces the amounts of a sale with those of a better report, and its trace, which records the change. */
export function updateAmounts(
  tx: Transaction,
  { accountId, id }: StoredSale,
  amounts: Omit<ProcessorAmounts, 'isBare'> & { amount: number; commissionAmount: number },
  steps: readonly TraceStep[],
) {
  return tx.run(
    `UPDATE sales SET amount = @amount, gross_amount = @grossAmount, presentment_amount = @presentmentAmount,
       presentment_currency = @presentmentCurrency, paid_lines = @paidLines, stated_at = @statedAt,
       commission_amount = @commissionAmount, is_bare = 0, steps = @steps
     WHERE account_id = @accountId AND id = @id`,
    { accountId, id, ...amounts, paidLines: linesAsJson(amounts.paidLines), steps: JSON.stringify(steps) },
  );
}

export interface ProcessorAmounts {
  grossAmount: number;
  presentmentAmount: number | null;
  presentmentCurrency: string | null;
  paidLines: PaidLines | null;
  statedAt: number | null;
  /** See `PaymentReceived.isBare`. */
  isBare: boolean;
}

/**
 * Replaces the amounts that the processor states and the terms, but not the amount that the commission was computed on.
 */
export function updateGross(
  tx: Transaction,
  { accountId, id, terms }: StoredSale & { terms: SaleTerms },
  amounts: ProcessorAmounts,
) {
  const { grossAmount, presentmentAmount, presentmentCurrency, paidLines, statedAt, isBare } = amounts;
  return tx.run(
    `UPDATE sales SET gross_amount = @grossAmount, presentment_amount = @presentmentAmount,
       presentment_currency = @presentmentCurrency, paid_lines = @paidLines, stated_at = @statedAt,
       terms = @terms, is_bare = @isBare
     WHERE account_id = @accountId AND id = @id`,
    {
      accountId,
      id,
      grossAmount,
      presentmentAmount,
      presentmentCurrency,
      paidLines: linesAsJson(paidLines),
      statedAt,
      terms: JSON.stringify(terms),
      isBare: isBare ? 1 : 0,
    },
  );
}

export function linesAsJson(paidLines: PaidLines | null): string | null {
  return paidLines === null ? null : JSON.stringify(paidLines);
}
