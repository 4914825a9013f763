import { z } from 'zod';
import { currencyField, parseInput, text } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { wholeNumber } from '../app/whole-number.ts';
import { AMOUNT_MAX } from '../core/money.ts';
import { requirePartner } from '../programs/partners.ts';
import { addEntries } from './entries.ts';
import { asEntry, type EntryResource } from './list.ts';
import { findEntry } from './queries/list.ts';

const adjustmentInput = z.object({
  partnerId: text(),
  amount: wholeNumber(-AMOUNT_MAX, AMOUNT_MAX).refine((amount) => amount !== 0, 'must not be 0'),
  currency: currencyField,
  reason: text(500),
});

/**
 * Adds to what a partner is owed, or takes from it, by a person's decision. Due at once; goes into the next payout.
 *
 * @param body `{partnerId, amount, currency, reason}`; the amount is signed, in minor units
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner
 */
export async function adjust(service: Service, accountId: string, body: unknown): Promise<EntryResource> {
  const { partnerId, amount, currency, reason } = parseInput(adjustmentInput, body);
  const now = service.clock();
  return service.database.write(async (tx) => {
    const { programId } = await requirePartner(tx, accountId, partnerId);
    const owner = { accountId, programId, partnerId, saleId: null, currency, availableAt: now };
    const [id = ''] = await addEntries(tx, owner, [{ kind: 'adjustment', amountMinor: amount, reason }], now);
    const entry = await findEntry(tx, accountId, id);
    if (!entry) throw new Error(`Entry ${id} was written and is missing`);
    return asEntry(entry);
  });
}
