import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { isoTime } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import { type EntryView, findEntries } from './queries/list.ts';

const ledgerPageInput = z.object({
  ...pageFields('ent'),
  partnerId: optional(text()),
  saleId: optional(text()),
  payoutId: optional(text()),
});

export type EntryResource = ReturnType<typeof asEntry>;

/** The newest first. Filters: `partnerId saleId payoutId`. */
export function listLedger(service: Service, accountId: string, query: unknown): Promise<Page<EntryResource>> {
  const { limit, cursor, ...filters } = parseInput(ledgerPageInput, query);
  return service.database.read((tx) =>
    pageOf({ limit, cursor }, (bounds) => findEntries(tx, accountId, filters, bounds), asEntry),
  );
}

/** A sale has a commission and a few entries for each refund and dispute. */
const ENTRIES_OF_SALE_MAX = 1000;

/** Every entry of one sale, the oldest first. */
export async function entriesOfSale(tx: Transaction, accountId: string, saleId: string): Promise<EntryResource[]> {
  const entries = await findEntries(tx, accountId, { saleId }, { limit: ENTRIES_OF_SALE_MAX, beforeId: 'ent_z' });
  return entries.map(asEntry).reverse();
}

/** A ledger entry as it is answered. */
export function asEntry({ availableAt, createdAt, ...entry }: EntryView) {
  return {
    ...entry,
    availableAt: isoTime(availableAt),
    createdAt: isoTime(createdAt),
  };
}
