import type { PartnerId, SaleId } from '../../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../../core/ledger.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';

/** A sale whose review was decided. All its entries are open. */
export type DecidedSale = {
  saleId: SaleId;
  partnerId: PartnerId;
  currency: string;
};

/** Makes the sale's entries due at the end of their hold. */
export function makeDue(tx: Transaction, sale: DecidedSale & { availableAt: number }) {
  return tx.run(
    `UPDATE open_entries SET due_at = @availableAt
     WHERE partner_id = @partnerId AND currency = @currency AND due_at = ${UNDECIDED_DUE_AT}
       AND entry_id IN (SELECT e.id FROM ledger_entries e WHERE e.sale_id = @saleId)`,
    { ...sale },
  );
}

/** The sums of a sale's entries, by the day of their creation. */
const SUMS = `
  SELECT ${dayOf('e.created_at')} AS day, ${dueDayOf('e.created_at', 'e.available_at')} AS due_day,
    CAST(SUM(CASE WHEN e.kind IN ('commission', 'adjustment') THEN e.amount ELSE 0 END) AS BIGINT) AS earned,
    CAST(SUM(CASE WHEN e.kind IN ('commission', 'adjustment') THEN 0 ELSE -e.amount END) AS BIGINT) AS reversed
  FROM ledger_entries e WHERE e.sale_id = @saleId
  GROUP BY ${dayOf('e.created_at')}, ${dueDayOf('e.created_at', 'e.available_at')}`;

/** Moves the sale's entries in the daily sums from the undecided due day to the days when they become due. */
export async function moveToDueDays(tx: Transaction, sale: DecidedSale): Promise<void> {
  await tx.run(
    `UPDATE ledger_days SET earned = ledger_days.earned - g.earned, reversed = ledger_days.reversed - g.reversed
     FROM (${SUMS}) g
     WHERE ledger_days.partner_id = @partnerId AND ledger_days.currency = @currency
       AND ledger_days.day = g.day AND ledger_days.due_day = ${dayOf(String(UNDECIDED_DUE_AT))}`,
    { ...sale },
  );
  await tx.run(
    `INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid)
     SELECT @partnerId, @currency, g.day, g.due_day, g.earned, g.reversed, 0, 0 FROM (${SUMS}) g WHERE TRUE
     ON CONFLICT (partner_id, currency, day, due_day)
     DO UPDATE SET earned = ledger_days.earned + excluded.earned, reversed = ledger_days.reversed + excluded.reversed`,
    { ...sale },
  );
}
