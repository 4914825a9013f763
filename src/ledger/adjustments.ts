import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { ADJUSTED_MAX } from '../core/ledger.ts';
import { formatMoney } from '../core/money.ts';
import { validationError } from '../errors.ts';
import { requireKeptPartner } from '../programs/partners.ts';
import type { Transaction } from '../storage/database.ts';
import { addEntries } from './entries.ts';
import { asEntry } from './entry-resource.ts';
import { sumEarned } from './queries/entries.ts';
import { findEntry } from './queries/list.ts';
import type { AdjustmentInput, EntryResource } from './schemas.ts';

/**
 * Adjusts what a partner is owed, up or down, by a person's decision. The entry is due at once and goes into the next
 * payout.
 *
 * @throws ServiceError `NOT_FOUND` for the partner; `VALIDATION_ERROR` when it would move the partner's earnings
 * further beyond `ADJUSTED_MAX`
 */
export function adjust(
  service: Service,
  accountId: AccountId,
  { amount, currency, reason, ...named }: AdjustmentInput,
): Promise<EntryResource> {
  const now = service.clock();
  return service.database.write(
    async (tx) => {
      // two concurrent adjustments could otherwise both fit, but not together
      await tx.claim(() => [claimKeys.adjustments(named.partnerId, currency)]);
      const { id: partnerId, programId } = await requireKeptPartner(tx, accountId, named.partnerId);
      await requireInRange(tx, { partnerId, currency, amount });
      const owner = { accountId, programId, partnerId, saleId: null, currency, availableAt: now, isUndecided: false };
      const [id = ''] = await addEntries(tx, owner, [{ kind: 'adjustment', amountMinor: amount, reason }], now);
      const entry = await findEntry(tx, accountId, id);
      if (!entry) throw new Error(`Entry ${id} was inserted but not found`);
      const created = asEntry(entry);
      noteChange(tx, { resourceId: id, after: created });
      return created;
    },
    { alone: true },
  );
}

async function requireInRange(
  tx: Transaction,
  { partnerId, currency, amount }: { partnerId: PartnerId; currency: string; amount: number },
): Promise<void> {
  const before = await sumEarned(tx, partnerId, currency);
  const after = before + amount;
  // an adjustment towards zero is always allowed
  if (Math.abs(after) <= ADJUSTED_MAX || Math.abs(after) < Math.abs(before)) return;
  const limit = formatMoney(Math.sign(after) * ADJUSTED_MAX, currency);
  const message = `would bring what this partner has earned past ${limit}, the limit for adjustments; it is now ${formatMoney(before, currency)}`;
  throw validationError([{ path: 'amount', message }]);
}
