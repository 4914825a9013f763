import type { SaleId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import { ledgerSumsOf } from '../../ledger/entries.ts';
import { leftSinceReversal } from '../../ledger/imported.ts';
import { refused } from '../manifest.ts';
import type { ImportedRecord } from '../queries/imported-records.ts';
import type { OwnedCommission } from './owned-commission.ts';
import type { MovedTarget } from './target.ts';

/** Whether a commission is a sale here, and not only an entry. */
export function isSale(ownId: string): ownId is SaleId {
  return ownId.startsWith('sal_');
}

/**
 * Guards a commission that was imported before. The processor may have reported here the refunds for which the service
 * has lowered it since, and further ones, for which the service lowers it later, or never once it is paid.
 *
 * @throws ServiceError `VALIDATION_ERROR` unless it is the same, or what the first refunds here left of it
 */
export async function requireSameAmount(
  { tx }: MovedTarget,
  { amountMinor, currency, status }: OwnedCommission,
  { ownId, state, amount, currency: ofRecord }: ImportedRecord,
): Promise<void> {
  if (amount === amountMinor && ofRecord === currency) return;
  const isFollowed = state === status || (state === 'open' && status === 'paid');
  const left = isSale(ownId) ? await leftSinceReversal(tx, ownId) : [];
  if (left.includes(amountMinor) && ofRecord === currency && isFollowed) return;
  const takenMinor = isSale(ownId) ? -(await ledgerSumsOf(tx, ownId)).reversalMinor : 0;
  const [before, after] = [formatMoney(amount ?? 0, ofRecord ?? ''), formatMoney(amountMinor, currency)];
  const taken = `; refunds have taken back ${formatMoney(takenMinor, ofRecord ?? '')} of it here`;
  throw refused(
    `It was ${before} when it was imported, and is ${after} now${takenMinor === 0 ? '' : taken}: settle the difference ` +
      'with an adjustment',
  );
}
