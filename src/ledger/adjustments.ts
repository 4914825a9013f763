import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { requirePartner } from '../programs/partners.ts';
import { addEntries } from './entries.ts';
import { asEntry } from './list.ts';
import { findEntry } from './queries/list.ts';
import type { AdjustmentInput, EntryResource } from './schemas.ts';

/**
 * Adjusts what a partner is owed, up or down, by a person's decision. Due at once; goes into the next payout.
 *
 * @throws ServiceError `NOT_FOUND` for the partner
 */
export function adjust(
  service: Service,
  accountId: AccountId,
  { amount, currency, reason, ...named }: AdjustmentInput,
): Promise<EntryResource> {
  const now = service.clock();
  return service.database.write(async (tx) => {
    const { id: partnerId, programId } = await requirePartner(tx, accountId, named.partnerId);
    const owner = { accountId, programId, partnerId, saleId: null, currency, availableAt: now, isUndecided: false };
    const [id = ''] = await addEntries(tx, owner, [{ kind: 'adjustment', amountMinor: amount, reason }], now);
    const entry = await findEntry(tx, accountId, id);
    if (!entry) throw new Error(`Entry ${id} was inserted but not found`);
    return asEntry(entry);
  });
}
